"""The functions of the kernel language as names. Their meaning is the compiler's: called from Python they say so, except in interpreter mode,
where they are carried out."""

import builtins

from .. import _native
from . import values as _values


class Builtin(_native.Function):
    """A function or class that exists only inside kernels, under its dotted name."""

    __triton_builtin__ = True

    def __init__(self, dotted):
        self.dotted = dotted
        self.__name__ = self.__qualname__ = dotted.rpartition(".")[2]
        self.__module__ = dotted.rpartition(".")[0]

    def _outside(self):
        """What a call is told where no kernel runs. The native class carries calls out while one does."""
        return (f"{self.__module__.replace('triton.language', 'tl', 1)}.{self.__name__} runs only inside a kernel: "
                "did you forget to add @triton.jit?")

    @property
    def __signature__(self):
        from .signatures import signature_of
        return signature_of(self.__name__)

    def __repr__(self):
        return f"<tilewise builtin {self.dotted}>"

    def __instancecheck__(self, value):
        """`isinstance(x, tl.tensor_descriptor)` in interpreter mode."""
        return self.__name__ == "tuple" and isinstance(value, builtins.tuple) or isinstance(value, _values.opaque) and value.is_a(self.__name__)

    def __hash__(self):
        return hash(self.dotted)

    def __eq__(self, other):
        return isinstance(other, Builtin) and self.dotted == other.dotted

    def __reduce__(self):
        return Builtin, (self.dotted,)

    # As part of an annotation: `x: tl.tensor | None`.
    def __or__(self, other):
        return self

    __ror__ = __or__


def offer(module, names):
    """Builtins of a module of the language, by name."""
    return {name: Builtin(f"{module}.{name}") for name in (names.split() if isinstance(names, str) else names)}


# The compiler's own list, so that a function is there as soon as kernels have it; types.py has the classes among them.
_CORE = [*_native.language_names("triton.language"), "slice"]

globals().update(offer("triton.language", _CORE))
tensor = _values.tensor
__all__ = [*_CORE, "tensor"]
