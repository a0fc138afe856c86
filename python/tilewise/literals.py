"""Python values as the texts of compile-time constants, which is how the compiler takes them."""

import math

from . import _native
from .language.functions import Builtin
from .language.types import constexpr, dtype
from .runtime.resolver import name_of_object, type_text


class Text:
    """A constant given by its text."""

    def __init__(self, text):
        self.text = text


def flatten(value, parts):
    """The text of a tuple whose runtime values become `parts`, by the names that the text gives them."""
    if isinstance(value, tuple):
        items = [flatten(item, parts) for item in value]
        if hasattr(value, "_fields"):
            return f"{name_of_object(type(value))}({', '.join(items)})"
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    is_runtime = (isinstance(value, (bool, int, float)) or hasattr(value, "__array_struct__") or hasattr(value, "data_ptr")
                  or hasattr(value, "block_shape"))
    if not is_runtime:
        return text(value)
    name = f"__part{len(parts)}"
    parts[name] = value
    return name


def text(value):
    if isinstance(value, Text):
        return value.text
    if isinstance(value, constexpr):
        return text(value.value)
    if isinstance(value, dtype):
        return type_text(value)
    if type(value) is float and not math.isfinite(value):
        return f'float("{value}")'
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return f"{name_of_object(type(value))}({', '.join(map(text, value))})"
    if type(value) is list or isinstance(value, tuple):
        items = [text(item) for item in value]
        return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
    if isinstance(value, Builtin):
        return value.dotted
    return name_of_object(value)


_native.set_literal(text)
