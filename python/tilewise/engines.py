"""Which engine runs a launch on host memory, and what this machine has."""

import contextlib
import contextvars

from . import _native

_NUMBERS = {"reference": 0, "cpu": 1, "cuda": 2}
_host_engine = contextvars.ContextVar("tilewise_host_engine", default=_NUMBERS["cpu"])


@contextlib.contextmanager
def engine(name):
    """Launches on host memory inside the `with` block run on this engine: "cpu" (the default) or "reference"."""
    if name not in ("cpu", "reference"):
        raise ValueError(f"'{name}' is no engine for host memory; 'cpu' and 'reference' are")
    token = _host_engine.set(_NUMBERS[name])
    try:
        yield
    finally:
        _host_engine.reset(token)


def host_engine():
    return _host_engine.get()


def devices():
    """The devices that this process can use, as ["reference", "cpu", "cuda:0"]."""
    found = [name for name in ("reference", "cpu") if _native.device_count(_NUMBERS[name])]
    return found + [f"cuda:{index}" for index in range(_native.device_count(_NUMBERS["cuda"]))]


def synchronize(device="cuda"):
    """Waits until everything launched on the device has finished."""
    _native.synchronize(device)


def version():
    return _native.version()
