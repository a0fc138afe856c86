"""Which engine runs a launch on host memory, and what this machine has."""

import contextlib
import contextvars
import os

from . import _native

_NUMBERS = {"reference": 0, "cpu": 1, "cuda": 2}
_host_engine = contextvars.ContextVar("tilewise_host_engine", default=None)
_default = None

_kept_to_host = False


def _number(name):
    if name not in ("cpu", "reference"):
        raise ValueError(f"'{name}' is no engine for host memory; 'cpu' and 'reference' are")
    return _NUMBERS[name]


def set_default(name):
    """The engine for host memory where no `with engine(...)` says otherwise; at first TILEWISE_ENGINE's, else "cpu"."""
    global _default
    _default = _number(name)


set_default(os.environ.get("TILEWISE_ENGINE", "cpu"))


@contextlib.contextmanager
def engine(name):
    """Launches on host memory inside the `with` block run on this engine: "cpu" (the default) or "reference"."""
    token = _host_engine.set(_number(name))
    try:
        yield
    finally:
        _host_engine.reset(token)


def host_engine():
    chosen = _host_engine.get()
    return _default if chosen is None else chosen


def keep_to_host():
    """From now on all memory is the host's, whatever a tensor says of its device, and no launch goes to a GPU."""
    global _kept_to_host
    _kept_to_host = True
    _native.keep_to_host()


def is_on_gpu(tensor):
    """Whether the host cannot read the tensor's memory."""
    return not _kept_to_host and getattr(getattr(tensor, "device", None), "type", "cpu") != "cpu"


def devices():
    """The devices that this process can use, as ["reference", "cpu", "cuda:0"]."""
    found = [name for name in ("reference", "cpu") if _native.device_count(_NUMBERS[name])]
    return found + [f"cuda:{index}" for index in range(_native.device_count(_NUMBERS["cuda"]))]


def synchronize(device="cuda"):
    """Waits until everything launched on the device has finished."""
    _native.synchronize(device)


def version():
    return _native.version()


def active_backend():
    """Where a launch without tensors would go: "cuda" if the program's torch has a GPU in use, else the host's engine."""
    import sys
    torch = sys.modules.get("torch")
    if torch is not None and not _kept_to_host and torch.cuda.is_available() and _native.device_count(_NUMBERS["cuda"]):
        return "cuda"
    return {number: name for name, number in _NUMBERS.items()}[host_engine()]
