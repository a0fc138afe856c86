"""`triton.experimental.gluon`: another language, which Tilewise does not compile. Its names can be imported, its kernels not launched.

Files with kernels in both languages import Gluon at their top. Every module below this one exists, and every name in it stands for something
of Gluon's: it can be called, indexed and asked for attributes, as layouts at the top of a file are. A launch of a Gluon kernel raises
NotImplementedError."""

import functools
import importlib.abc
import importlib.machinery
import inspect
import sys
import types

from ...language.core import constexpr, must_use_result
from ...runtime.constexpr_function import constexpr_function
from ...runtime.jit import KernelInterface


class Unavailable:
    """Something of Gluon's, by its name."""

    def __init__(self, name):
        self.__name__ = self.__qualname__ = name

    def __call__(self, *arguments, **named):
        # A decorator leaves its function as it is; everything else makes one more thing of Gluon's.
        return arguments[0] if len(arguments) == 1 and isinstance(arguments[0], types.FunctionType) else self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unavailable(f"{self.__name__}.{name}")

    def __getitem__(self, index):
        return self

    def __iter__(self):
        # Indices alone would go on for ever.
        raise TypeError(f"{self!r} cannot be iterated")

    def __mro_entries__(self, bases):
        return ()

    def __repr__(self):
        return f"<{self.__name__} of Gluon, which Tilewise does not compile>"


class GluonJITFunction(KernelInterface):
    """A function marked with `gluon.jit`."""

    def __init__(self, fn):
        self.fn = fn
        self.arg_names = list(inspect.signature(fn).parameters)
        functools.update_wrapper(self, fn)

    def __call__(self, *arguments, **named):
        raise RuntimeError("Cannot call @gluon.jit'd outside of the scope of a kernel")

    def run(self, *arguments, **named):
        raise NotImplementedError(f"'{self.__name__}' is a Gluon kernel; Tilewise compiles kernels of triton.language, marked with triton.jit")


def jit(fn=None, **options):
    """Marks a Gluon function: it is known by its name, and cannot be launched."""
    return GluonJITFunction if fn is None else GluonJITFunction(fn)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module below this one."""

    def find_spec(self, fullname, path=None, target=None):
        below = fullname.startswith(__name__ + ".")
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if below else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        short = module.__name__.removeprefix(__name__ + ".")

        def of_gluon(name):
            if name.startswith("__"):
                raise AttributeError(f"module '{module.__name__}' has no attribute '{name}'")
            return {"constexpr": constexpr}.get(name) or Unavailable(f"{short}.{name}")

        module.__getattr__ = of_gluon


sys.meta_path.append(_Finder())

from . import amd, language, nvidia  # noqa: E402

__all__ = ["amd", "constexpr_function", "jit", "language", "must_use_result", "nvidia"]
