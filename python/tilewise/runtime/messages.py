"""What the compiler has to say beside errors: warnings become Python's, at the line that launched; the rest is printed."""

import contextlib
import contextvars
import os
import sys
import warnings

_INFO, _WARNING = 0, 1
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _depth_of_user():
    """How many frames up the first one is that is not of this package."""
    depth, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        depth, frame = depth + 1, frame.f_back
    return depth


_silenced = contextvars.ContextVar("tilewise_silenced", default=False)


@contextlib.contextmanager
def silence_for(module):
    """Nothing is told of kernels in files that Inductor wrote: nobody is there to mend them."""
    token = _silenced.set(_silenced.get() or (module or "").startswith("torch._inductor."))
    try:
        yield
    finally:
        _silenced.reset(token)


def tell(level, message):
    if _silenced.get():
        return
    if level >= _WARNING and not message.startswith("note: "):
        warnings.warn(message.rstrip("\n"), UserWarning, stacklevel=_depth_of_user())
    else:
        print(message.removeprefix("note: "), end="")
