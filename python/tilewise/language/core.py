"""`triton.language.core`: the language's own names where programs look for them in upstream's layout."""

from .._utils import TRITON_MAX_TENSOR_NUMEL  # noqa: F401
from . import functions as _functions_module
from .functions import *  # noqa: F401,F403
from .functions import Builtin
from .types import *  # noqa: F401,F403
from .types import base_type, base_value, constexpr, unwrap as _unwrap_if_constexpr  # noqa: F401

CONSTEXPR_0 = constexpr(0)


def get_int_dtype(bitwidth, signed):
    """The integer type of so many bits."""
    return dtype("int1" if bitwidth == 1 else f"{'int' if signed else 'uint'}{bitwidth}")  # noqa: F405


def builtin(fn):
    """Upstream's mark of a function written against its compiler's internals, which kernels of Tilewise cannot call."""
    fn.__triton_builtin__ = True
    return fn


def is_builtin(fn):
    return isinstance(fn, Builtin) or getattr(fn, "__triton_builtin__", False)


extern = builtin
extern_elementwise = _functions_module.extern_elementwise


def must_use_result(x, s=True):
    """Marks a function whose result a kernel must not drop; with a text, that is the reason given."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    x._must_use_result = s
    return x


def _aggregate(cls):
    """Marks a class of named parts that kernels can make and pass around."""
    cls.__triton_aggregate__ = True
    return cls
