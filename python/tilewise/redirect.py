"""`import triton` finds Tilewise: every module `triton.x` is the module `tilewise.x`, and the package's metadata says so."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import warnings

VERSION = "3.6.0+tilewise"


class _Alias:
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

    def get_code(self, fullname):
        """For `runpy.run_module("triton.profiler.viewer")`, and what stands on it: `python -m pdb -m`, coverage, debuggers."""
        return self.own_spec.loader.get_code(self.own_spec.name)


def _alias_what_is_loaded():
    """Every module of Tilewise that is there is there as one of `triton` too. The import system would set a module that it loads as an
    attribute of its package: `import triton.runtime.driver` would put the module in the place of the driver, which has the same name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("tilewise.") and module is not None:
            sys.modules.setdefault("triton" + name[len("tilewise"):], module)


def _distribution():
    """What importlib.metadata says of `triton`; that module is not loaded for it, which takes 10 ms of an import of ours."""
    from importlib.metadata import Distribution

    class Redirected(Distribution):

        def read_text(self, filename):
            return f"Metadata-Version: 2.1\nName: triton\nVersion: {VERSION}\n" if filename == "METADATA" else None

        def locate_file(self, path):
            return path

    return Redirected()


class Finder:
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

    def find_distributions(self, context=None):
        return [_distribution()] if getattr(context, "name", None) in (None, "triton") else []

    def invalidate_caches(self):
        """There is nothing to find anew."""


# A folder with a package `triton` that is Tilewise, for processes that begin without a call of install().
FOLDER = os.path.join(os.path.dirname(__file__), "as_triton")


def _name_types_as_upstream():
    """Inductor writes kernels of a user's into files of its own: an annotation by the module of its type, and imports of what is triton's."""
    from .language import types
    for value in vars(types).values():
        if isinstance(value, type) and value.__module__ == types.__name__:
            value.__module__ = "triton.language.core"


def install():
    """From now on `import triton` means Tilewise in this process and in those that take over its sys.path, as children of multiprocessing
    and Inductor's compile workers do. A `triton` imported before is replaced."""
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
        del sys.modules[name]
    sys.meta_path.insert(0, Finder())
    if FOLDER not in sys.path:
        # Not at the front: the first entry is the program's own folder.
        sys.path.insert(1, FOLDER)
    import tilewise
    tilewise.__version__ = VERSION
    _name_types_as_upstream()
    compat = sys.modules.get("torch._inductor.runtime.triton_compat")
    if compat is not None and getattr(compat, "triton", None) is not tilewise:
        warnings.warn("tilewise.install() was called after torch._inductor had looked for triton: kernels of torch.compile stay with what it "
                      "found. Call tilewise.install() before the first import of torch._inductor, or use torch.compile(backend=\"tilewise\"), "
                      "which needs no install()", stacklevel=2)
    for function in vars(sys.modules.get("torch.utils._triton", os)).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()  # what torch has asked about triton so far


def install_for_children():
    """Processes started from now on find it, too, whatever starts them."""
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    home = os.path.dirname(os.path.dirname(__file__))
    if os.path.basename(home) != "site-packages":
        paths.append(home)  # not installed: a child would not find it by itself
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([FOLDER, *paths]))
