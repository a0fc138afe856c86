"""Inductor's modules that hold on to `triton`, a second time: here they hold on to Tilewise.

torch binds names of triton when these modules are imported, and the kernels that Inductor writes import two of them. A second copy of each leaves
plain torch.compile with the triton that it found, or without any; kernels of this backend import theirs from here:

    from tilewise.torch.inductor import triton_helpers, triton_heuristics

A copy is the module's own file, run with an `import` that finds Tilewise for `triton` and the copies for the copied, now and later."""

import builtins
import functools
import importlib.util
import sys
import types

import tilewise

from .. import redirect
from .launching import launch_directly
from .timing import raced

_RUNTIME = "torch._inductor.runtime"
# In the order in which they import each other.
_COPIED = ("torch.utils._triton", f"{_RUNTIME}.triton_compat", f"{_RUNTIME}.triton_helpers", f"{_RUNTIME}.static_triton_launcher",
           f"{_RUNTIME}.benchmarking", f"{_RUNTIME}.triton_heuristics")

copies = {}


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    """As the builtin `__import__`, with Tilewise for triton and the copies for the copied."""
    absolute = importlib.util.resolve_name("." * level + name, globals["__package__"]) if level else name
    if absolute.partition(".")[0] == "triton":
        module = importlib.import_module("tilewise" + absolute[len("triton"):])
        if not fromlist:
            return tilewise
        for inner in fromlist:
            if not hasattr(module, inner) and importlib.util.find_spec(f"{module.__name__}.{inner}"):
                importlib.import_module(f"{module.__name__}.{inner}")
        return module
    if fromlist and absolute in copies:
        return copies[absolute]
    module = builtins.__import__(name, globals, locals, fromlist, level)
    replaced = {inner: copies[f"{absolute}.{inner}"] for inner in fromlist or () if f"{absolute}.{inner}" in copies}
    return types.SimpleNamespace(**{inner: getattr(module, inner) for inner in fromlist} | replaced) if replaced else module


def _copy(name):
    found = importlib.util.find_spec(name)
    module = types.ModuleType(name)
    module.__file__, module.__package__, module.__spec__ = found.origin, found.parent, found
    vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
    exec(found.loader.get_code(name), vars(module))
    return module


def _pointwise(original):
    """Inductor's choice of block sizes without its hint that a transposed copy takes squares, which is about a GPU's shared memory. On the CPU the
    shapes are timed: of 1024 x 1024 fp32, blocks of 256 x 16 take 0.8 of the time of 32 x 32."""

    @functools.wraps(original)
    def pointwise(size_hints, triton_meta, tile_hint=None, **named):
        return original(size_hints, triton_meta, tile_hint=None if triton_meta["device"].type == "cpu" else tile_hint, **named)

    return pointwise


def _make_copies():
    for name in _COPIED:
        importlib.import_module(name)  # torch's own first: it stays what it is
    version, tilewise.__version__ = tilewise.__version__, redirect.VERSION
    try:
        for name in _COPIED:
            copies[name] = _copy(name)
        copies["torch.utils._triton"].get_triton_version()  # it keeps what it finds
        heuristics = copies[f"{_RUNTIME}.triton_heuristics"]
        heuristics.pointwise = _pointwise(heuristics.pointwise)
        tuner = heuristics.CachingAutotuner
        tuner.benchmark_all_configs = raced(tuner.benchmark_all_configs)
        launch_directly(tuner)
    finally:
        tilewise.__version__ = version


_make_copies()
triton_helpers, triton_heuristics = copies[f"{_RUNTIME}.triton_helpers"], copies[f"{_RUNTIME}.triton_heuristics"]


def is_redirected():
    """Whether torch's own modules have found Tilewise already: tilewise.install() came first."""
    return getattr(sys.modules.get(f"{_RUNTIME}.triton_compat"), "triton", None) is tilewise
