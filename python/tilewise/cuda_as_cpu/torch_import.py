"""Waits for the program's own import of torch, or finds torch there already, and then lets `cuda` mean the CPU in it."""

import importlib.abc
import importlib.util
import sys

from .. import engines, knobs
from ..runtime import driver

_installed = False


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
            spec.loader = _Loader(spec.loader, _install)
        return spec


def watch():
    """From now on `cuda` means the CPU in torch: when it is imported, or at once if it has been."""
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "cuda"):
        _install(torch)
    elif not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


def _install(torch):
    global _installed
    # `--device=cuda` is read after the variable, and turns it off.
    if _installed or not knobs.runtime.cuda_as_cpu:
        return
    _installed = True
    import torch.utils._device
    from . import driver as gpu_driver, entering, replacements, torch_calls
    engines.keep_to_host()
    driver.replace_default(gpu_driver.HostAsGpuDriver())
    replacements.replace_functions(torch)
    entering.enter_everywhere(torch, torch_calls.make_mode(torch))
