"""Named tuples and aggregates for kernels: a Python class as its fields, their defaults, and its methods."""

import types

from ..language.functions import Builtin
from ..language.types import constexpr
from .callable import JITCallable
from .constexpr_function import ConstexprFunction

_ANY, _TENSOR, _CONSTEXPR = 0, 1, 2

# Classes that kernels know by their address stay alive.
_known = {}


def is_class_for_kernels(value):
    return isinstance(value, type) and (issubclass(value, tuple) and hasattr(value, "_fields")
                                        or getattr(value, "__triton_aggregate__", False))


def _kind(annotation):
    if annotation is constexpr or isinstance(annotation, str) and annotation.endswith("constexpr"):
        return _CONSTEXPR
    is_tensor = isinstance(annotation, Builtin) and annotation.__name__ == "tensor"
    return _TENSOR if is_tensor or isinstance(annotation, str) and annotation.endswith("tensor") else _ANY


class _Method(JITCallable):
    """A method as kernels call it."""

    def __init__(self, function, flags):
        super().__init__(getattr(function, "fn", function))
        self.call_flags = flags
        self._must_use_result = getattr(function, "_must_use_result", None)


def _method(value):
    """What kernels get for an attribute of the class; None for what is not for them."""
    flags = 0
    if isinstance(value, staticmethod):
        value, flags = value.__func__, JITCallable.STATIC
    elif isinstance(value, property):
        value, flags = value.fget, JITCallable.PROPERTY
    if isinstance(value, ConstexprFunction):
        return _Method(value, flags | JITCallable.PYTHON)
    if isinstance(value, JITCallable):
        return _Method(value, flags) if flags else value
    if isinstance(value, types.FunctionType):
        return _Method(value, flags | JITCallable.PYTHON)
    return None if isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType, classmethod)) else constexpr(value)


def describe_class(cls):
    """(name, is_tuple, [(field, kind, has_default, default)], [(attribute, value)])"""
    if cls not in _known:
        if issubclass(cls, tuple):
            defaults = cls._field_defaults
            fields = [(name, _ANY, name in defaults, defaults.get(name)) for name in cls._fields]
            left_out = {name for base in (*cls.__mro__[1:],) for name in vars(base)} | set(cls._fields)
        else:
            bases = [base for base in reversed(cls.__mro__) if vars(base).get("__triton_aggregate__") or base is cls]
            kinds = {name: _kind(annotation) for base in bases for name, annotation in vars(base).get("__annotations__", {}).items()}
            fields = [(name, kind, hasattr(cls, name), constexpr(getattr(cls, name, None))) for name, kind in kinds.items()]
            left_out = set(vars(object)) - {"__init__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"} | set(kinds)
        left_out |= {"__module__", "__qualname__", "__dict__", "__weakref__", "__annotations__", "__doc__", "__triton_aggregate__",
                     "__slots__", "__orig_bases__", "_fields", "_field_defaults", "__match_args__", "__firstlineno__",
                     "__static_attributes__"}
        attributes = {}
        for base in reversed(cls.__mro__[:-1]):
            for name, value in vars(base).items() if base is not tuple else ():
                # A base's __init__ knows only the base's fields.
                if name not in left_out and not (name == "__init__" and base is not cls):
                    attributes[name] = _method(value)
        told = [(name, value) for name, value in attributes.items() if value is not None]
        if not issubclass(cls, tuple) and getattr(cls.__mro__[1], "__triton_aggregate__", False):
            told.append(("__base__", cls.__mro__[1]))
        _known[cls] = (cls.__name__, issubclass(cls, tuple), fields, told)
    return _known[cls]
