"""`import triton` finds Tilewise: every module `triton.x` is the module `tilewise.x`, and the package's metadata says so."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import sys

VERSION = "3.6.0+tilewise"


class _Alias(importlib.abc.Loader):
    """Loads a module that exists already under another name."""

    def __init__(self, module):
        self.module = module
        self.own_spec = module.__spec__

    def create_module(self, spec):
        return self.module

    def exec_module(self, module):
        # The import system has put the alias's spec there; the module is still what it was.
        module.__spec__ = self.own_spec
        _alias_what_is_loaded()


def _alias_what_is_loaded():
    """Every module of Tilewise that is there is there as one of `triton` too. The import system would set a module that it loads as an
    attribute of its package: `import triton.runtime.driver` would put the module in the place of the driver, which has the same name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tilewise.") and module is not None:
            sys.modules.setdefault("triton" + name[len("tilewise"):], module)


class _Distribution(importlib.metadata.Distribution):
    """What importlib.metadata says of `triton`."""

    def read_text(self, filename):
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: triton\nVersion: {VERSION}\n"
        return None

    def locate_file(self, path):
        return path


class Finder(importlib.abc.MetaPathFinder):
    """Finds `triton` and everything below it."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname.partition(".")[0] != "triton":
            return None
        name = "tilewise" + fullname[len("triton"):]
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            return None
        module = importlib.import_module(name)
        spec = importlib.machinery.ModuleSpec(fullname, _Alias(module), origin=found.origin, is_package=hasattr(module, "__path__"))
        return spec

    def find_distributions(self, context=importlib.metadata.DistributionFinder.Context()):  # noqa: B008
        return [_Distribution()] if context.name in (None, "triton") else []


def install():
    """From now on `import triton` means Tilewise in this process. A `triton` imported before is replaced."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    import tilewise
    tilewise.__version__ = VERSION
