"""Python values as the texts of compile-time constants, which is how the compiler takes them."""

import math

from . import _native
from .language import constexpr, dtype


def text(value):
    if isinstance(value, constexpr):
        return text(value.value)
    if isinstance(value, dtype):
        return f"tl.{value.attribute}"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        items = [text(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    raise _native.LaunchError(
        f"an object of type '{type(value).__name__}' is no kernel argument; "
        "pass an array, a tensor, a number, a string, a tuple or a tl type")


_native.set_literal(text)
