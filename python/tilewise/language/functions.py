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
    return {name: Builtin(f"{module}.{name}") for name in names.split()}


_CORE = """
    program_id num_programs arange full zeros zeros_like to_tensor cat cast
    broadcast broadcast_to expand_dims squeeze unsqueeze reshape view ravel permute trans join split interleave flip swizzle2d
    load store make_block_ptr advance
    make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor
    atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_poll
    where minimum maximum clamp add sub mul fma umulhi div_rn fdiv cdiv expect_zero
    abs ceil floor exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf sigmoid softmax
    dot dot_scaled
    reduce sum max min argmax argmin xor_sum reduce_or associative_scan cumsum cumprod sort topk bitonic_merge histogram gather
    map_elementwise
    range static_range condition static_assert static_print device_print device_assert assume multiple_of max_contiguous
    max_constancy debug_barrier inline_asm_elementwise aggregate_replace async_task
    philox philox_impl randint randint4x rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal
    extern_elementwise
    tuple slice tensor_descriptor
"""

globals().update(offer("triton.language", _CORE))
tensor = _values.tensor
__all__ = [*_CORE.split(), "tensor"]
