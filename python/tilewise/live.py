"""`jit`: a live Python function as a kernel. Its text is compiled; the names in it resolve through its globals and closure."""

import inspect
import types

from . import _native, host, language
from .kernel import Kernel
from .language.builtins import Builtin
from .language.types import constexpr, dtype

# The compiler knows the language under these names, whatever a program calls it.
_LANGUAGE_OBJECTS = {host.cdiv: "triton.cdiv", host.next_power_of_2: "triton.next_power_of_2",
                     constexpr: "triton.language.constexpr", dtype: "triton.language.dtype"}
_LANGUAGE_MODULES = {"tilewise": "triton", "tilewise.language": "triton.language", "triton": "triton",
                     "triton.language": "triton.language", "math": "math"}

# What a launch may still conclude from an argument's value: nothing, or only that it is 1.
_NOTHING, _ONLY_ONE = 0, 1


class Resolver:
    """Answers the compiler's questions about the names of one function."""

    def __init__(self, fn):
        self._fn = fn

    def _closure(self):
        return dict(zip(self._fn.__code__.co_freevars, self._fn.__closure__ or ()))

    def lookup(self, name):
        cell = self._closure().get(name)
        if cell is not None:
            return cell.cell_contents
        return self._fn.__globals__[name]

    def names(self):
        return [*self._closure(), *self._fn.__globals__]

    def describe(self, value):
        if isinstance(value, constexpr):
            return "constexpr", value.value
        if isinstance(value, JITFunction):
            return "function", value.source, value.fn.__name__
        if isinstance(value, (Builtin, dtype)):
            return "language", f"triton.language.{value.attribute}"
        if isinstance(value, types.ModuleType):
            known = _LANGUAGE_MODULES.get(value.__name__)
            return ("language", known) if known else ("object", f"the module '{value.__name__}'")
        if isinstance(value, (types.FunctionType, type)) and value in _LANGUAGE_OBJECTS:
            return "language", _LANGUAGE_OBJECTS[value]
        if isinstance(value, types.FunctionType):
            return "object", f"the Python function '{value.__name__}'"
        return "object", f"an object of type '{type(value).__name__}'"


class JITFunction(Kernel):
    """A function marked with `jit`: launched from Python as `f[grid](...)`, or called by other kernels."""

    def __init__(self, fn, do_not_specialize=(), do_not_specialize_on_alignment=()):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__module__ = fn.__module__
        self.__doc__ = fn.__doc__
        self.__wrapped__ = fn
        self._unspecialized = {_NOTHING: do_not_specialize, _ONLY_ONE: do_not_specialize_on_alignment}
        self._source = None
        self._native = None
        parameters = inspect.signature(fn).parameters.values()
        self._set_parameters([(parameter.name,) for parameter in parameters])
        self._defaults = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}

    def __repr__(self):
        return f"<tilewise kernel {self.__qualname__}>"

    @property
    def source(self):
        if self._source is None:
            try:
                lines, first_line = inspect.getsourcelines(self.fn)
            except OSError as error:
                raise _native.LaunchError(f"the text of '{self.__name__}' cannot be found; a kernel must be in a file") from error
            file = inspect.getsourcefile(self.fn) or "<unknown>"
            self._source = _native.create_source("".join(lines), file, max(first_line, 1), Resolver(self.fn))
        return self._source

    @property
    def native(self):
        if self._native is None:
            native = _native.create_kernel(self.source, self.fn.__name__)
            for what, parameters in self._unspecialized.items():
                for parameter in parameters or ():
                    index = parameter if isinstance(parameter, int) else self.arg_names.index(parameter)
                    native.specialize(index, what)
            self._native = native
        return self._native


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None,
        do_not_specialize_on_alignment=None, debug=None, noinline=None):
    """Marks a function as a kernel, or as a function that kernels call. The other keywords of Triton's `jit` are accepted."""
    if fn is None:
        return lambda function: jit(function, do_not_specialize=do_not_specialize,
                                    do_not_specialize_on_alignment=do_not_specialize_on_alignment)
    return JITFunction(fn, do_not_specialize, do_not_specialize_on_alignment)
