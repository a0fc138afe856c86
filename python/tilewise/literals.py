"""Python values as the texts of compile-time constants, which is how the compiler takes them."""

import math

from . import _native
from .language.functions import Builtin
from .language.types import constexpr, dtype
from .runtime.resolver import name_of_object, type_text


def text(value):
    if isinstance(value, constexpr):
        return text(value.value)
    if isinstance(value, dtype):
        return type_text(value)
    if type(value) is float and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) in (tuple, list):
        items = [text(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, Builtin):
        return value.dotted
    return name_of_object(value)


_native.set_literal(text)
