"""What happens to torch when a program imports it: nothing, unless this machine has no GPU or TILEWISE_CUDA_AS_CPU is set.

Tilewise never imports torch. It waits for the program's own import, or finds torch there already, and then either lets `cuda` mean the CPU
(cuda_as_cpu.py), or, where torch can use no GPU, adds to torch's complaint the line that names the switch."""

import importlib.abc
import importlib.util
import os
import sys
import types

from . import _native

SWITCH = "TILEWISE_CUDA_AS_CPU"
WAY_OUT = (f"this machine has no GPU that torch can use; {SWITCH}=1 or 'python -m tilewise --device=cpu SCRIPT' runs programs written "
           "for one on the CPU")
# How torch's own code says that there is no GPU.
_COMPLAINTS = ("Cannot access accelerator device", "not linked with support for cuda", "Cannot get CUDA generator")
_explains = False


def wanted():
    """Whether `cuda` is to mean the CPU."""
    return os.environ.get(SWITCH, "").lower() in ("1", "on", "true", "yes", "y")


class _Loader(importlib.abc.Loader):
    """Loads a module as its own loader does, then tells."""

    def __init__(self, inner, then):
        self._inner = inner
        self._then = then

    def create_module(self, spec):
        return self._inner.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._inner
        self._inner.exec_module(module)
        self._then(module)


class _Watcher(importlib.abc.MetaPathFinder):
    """Waits for the import of torch."""

    def __init__(self):
        self._busy = False

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "torch" or self._busy:
            return None
        self._busy = True
        try:
            spec = importlib.util.find_spec("torch")
        finally:
            self._busy = False
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, prepare)
        return spec


def prepare(torch):
    """Called once torch is there."""
    if wanted():
        from . import cuda_as_cpu
        cuda_as_cpu.install(torch)
    elif not torch.cuda.is_available():
        _explain(torch)


def watch():
    """From now on torch is prepared when it is imported; at once if it has been."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        prepare(torch)
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


def _explained(call):
    """The same call; its complaint about the GPU that is not there ends with the way out."""

    def explained(*arguments, **named):
        try:
            return call(*arguments, **named)
        except (AssertionError, AttributeError, RuntimeError, TypeError) as error:
            if WAY_OUT in str(error):
                raise
            complaint = type(error)(f"{error}\n{WAY_OUT}")
            raise complaint.with_traceback(error.__traceback__) from None

    return _native.shield(explained)


def _hook_that_explains(hook):
    """The same hook for what ends the program; a complaint of torch's own code about the GPU ends with the way out."""

    def explains(kind, error, traceback):
        hook(kind, error, traceback)
        text = str(error)
        if isinstance(error, RuntimeError) and WAY_OUT not in text and any(part in text for part in _COMPLAINTS):
            print(WAY_OUT, file=sys.stderr)

    return explains


def _explain(torch):
    """Without a GPU: what fails in torch.cuda, and whatever else asks torch for a GPU, names the switch.

    Factory functions, `.cuda()` and `.to("cuda")` all come through torch.cuda._lazy_init."""
    global _explains
    if _explains:
        return
    _explains, cuda = True, torch.cuda
    for name, value in list(vars(cuda).items()):
        if isinstance(value, types.FunctionType) and value.__module__.startswith("torch.cuda") and (
                name == "_lazy_init" or not name.startswith("_")):
            setattr(cuda, name, _explained(value))
    for name in ("Stream", "Event", "CUDAGraph"):
        kind = getattr(cuda, name)
        kind.__new__ = staticmethod(_explained(kind.__new__))
        kind.__init__ = _explained(kind.__init__)
    # What no Python function of torch stands before: a device given as a number, torch.Generator("cuda").
    sys.excepthook = _hook_that_explains(sys.excepthook)
