"""Answers the compiler's questions about the names of live functions: what a name means, and what kind of thing a value is."""

import functools
import types

from .. import knobs
from ..language.functions import Builtin
from ..language.types import block_type, const, constexpr, dtype, pointer_type
from ..language.values import tensor
from ..language.types import PropagateNan as _PropagateNan
from ..language import types as _types
from .classes import describe_class, is_class_for_kernels
from .constexpr_function import ConstexprFunction

# The compiler knows the language under these names, whatever a program calls it.
_CLASSES = {constexpr: "constexpr", dtype: "dtype", pointer_type: "pointer_type", block_type: "block_type", const: "const",
            _PropagateNan: "PropagateNan", tensor: "tensor", _types.constexpr_type: "constexpr_type", _types.tuple_type: "tuple_type",
            _types.tensor_descriptor_type: "tensor_descriptor_type"}

# Objects given to kernels as compile-time constants, under names that no program has.
_objects = {}
_numbers = {}
_PREFIX = "__tilewise_object_"


def name_of_object(value):
    """A name by which kernels find this object. The same object, and any that is equal to it, has the same name."""
    try:
        key = (type(value), value)
        number = _numbers.get(key)
    except (TypeError, ValueError):  # not hashable, as a memoryview that can be written: the object itself
        key = (type(value), id(value))
        number = _numbers.get(key)
    if number is None:
        number = _numbers[key] = len(_objects)
        _objects[f"{_PREFIX}{number}"] = value
    return f"{_PREFIX}{number}"


def type_text(value):
    """A type of the language as an expression in kernels."""
    if isinstance(value, pointer_type):
        return f"tl.pointer_type({type_text(value.element_ty)}{', const=True' if value.const else ''})"
    if isinstance(value, block_type):
        return f"tl.block_type({type_text(value.element_ty)}, {list(value.shape)})"
    return f"tl.{value.attribute}"


@functools.cache
def _at_compile_time(function):
    """A Python function wrapped in tl.constexpr, the older way to mark one that kernels call while they are compiled."""
    return functools.partial(function)


class Resolver:
    """The names of one function: its closure, its globals, and the objects given to kernels as constants."""

    def __init__(self, fn):
        self._fn = fn

    def _closure(self):
        return dict(zip(self._fn.__code__.co_freevars, self._fn.__closure__ or ()))

    def lookup(self, name):
        if name.startswith(_PREFIX):
            return constexpr(_objects[name])
        cell = self._closure().get(name)
        if cell is not None:
            try:
                return cell.cell_contents
            except ValueError:
                raise KeyError(name) from None
        value = self._fn.__globals__[name]
        if knobs.compilation.allow_non_constexpr_globals and isinstance(value, (bool, int, float, str, tuple, list, dict)):
            return constexpr(value)
        return value

    def names(self):
        return [*self._closure(), *self._fn.__globals__]

    def describe(self, value):
        if isinstance(value, constexpr):
            return "constexpr", _at_compile_time(value.value) if isinstance(value.value, types.FunctionType) else value.value
        if hasattr(value, "source_of_call") and not isinstance(value, ConstexprFunction):  # a jit function, or what is around one
            return value.source_of_call()
        if isinstance(value, Builtin):
            return "language", value.dotted
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return "namedtuple", type(value)
        if isinstance(value, (pointer_type, block_type)):
            return "type", type_text(value)
        if isinstance(value, dtype):
            return "language", f"triton.language.{value.attribute}"
        if isinstance(value, types.ModuleType):
            name = value.__name__
            if name.partition(".")[0] == "tilewise":
                return "language", "triton" + name[len("tilewise"):]
            return ("language", name) if name == "math" else ("object", f"the module '{name}'")
        if isinstance(value, _PropagateNan):
            return "language", f"triton.language.PropagateNan.{value.name}"
        if isinstance(value, type):
            if value in _CLASSES:
                return "language", f"triton.language.{_CLASSES[value]}"
            if is_class_for_kernels(value):
                return "class", describe_class(value)
            return "object", f"the class '{value.__name__}'"
        if isinstance(value, ConstexprFunction):
            if value.fn.__module__ == "tilewise.host":
                return "language", f"triton.{value.fn.__name__}"
            if value.fn.__module__ == "tilewise.language.target_info":
                return "language", f"triton.language.target_info.{value.fn.__name__}"
            return "object", f"the constexpr function '{value.__name__}'"
        if isinstance(value, types.FunctionType):
            return "object", f"the Python function '{value.__name__}'"
        return "object", f"an object of type '{type(value).__name__}'"

    def call(self, function, arguments, named):
        """`function(*arguments, **named)` in a kernel, on compile-time values."""
        if isinstance(function, types.FunctionType):
            raise TypeError(f"the Python function '{function.__name__}' cannot be called in a kernel; "
                            "decorate it with @triton.jit, or with @triton.constexpr_function to run it at compile time")
        return constexpr(function(*arguments, **named))

    def type_of(self, expression):
        """A type of the language out of the compiler's expression for it."""
        from .. import language
        return eval(expression, {"tl": language})  # noqa: S307 (the compiler's own text)
