"""What upstream's launcher says of an argument, for programs that ask it themselves, as torch does of user kernels: a type in signatures, and
what is known of the value. Our own launches decide it in C++ (src/runtime/Specialize.h)."""

from .._utils import canonicalize_ptr_dtype
from ..language.types import constexpr, dtype

_KNOWS_16 = "D"


def _is_divisible(value):
    return _KNOWS_16 if value % 16 == 0 else ""


def native_specialize_impl(backend, argument, is_const=False, specialize_value=True, align=True):
    """(type, what is known): ("*fp32", "D") for a tensor at a multiple of 16, ("constexpr", 1) for the number 1."""
    if argument is None:
        return "constexpr", None
    if isinstance(argument, (bool, dtype, constexpr)) or hasattr(argument, "source_of_call"):
        return ("u1", None) if isinstance(argument, bool) else ("constexpr", getattr(argument, "value", argument))
    if isinstance(argument, int):
        if specialize_value and argument == 1:
            return "constexpr", 1
        kind = "i32" if -2**31 <= argument < 2**31 else "i64" if argument < 2**63 else "u64"
        return kind, _is_divisible(argument) if specialize_value and align else None
    if isinstance(argument, float):
        return "fp32", None
    if isinstance(argument, tuple):
        parts = [native_specialize_impl(backend, part, is_const, specialize_value, align) for part in argument]
        return tuple(kind for kind, _ in parts), tuple(known for _, known in parts)
    if hasattr(argument, "block_shape") and hasattr(argument, "base"):
        element = canonicalize_ptr_dtype(argument.base.dtype, False)[1:]
        return f"tensordesc<{element}{list(argument.block_shape)}>", None
    if hasattr(argument, "data_ptr"):
        return canonicalize_ptr_dtype(argument.dtype, is_const), _is_divisible(argument.data_ptr()) if align else None
    raise TypeError(f"failed to specialize argument of type: {type(argument).__name__}")


def mangle_type(argument, specialize=False):
    """The type of an argument in signatures."""
    return native_specialize_impl(None, argument, False, specialize, True)[0]
