"""The functions of the kernel language as names. Their meaning is the compiler's; called from Python they say so."""


class Builtin:
    """A function that exists only inside kernels."""

    def __init__(self, name):
        self.attribute = name
        self.__name__ = name
        self.__qualname__ = name

    def __call__(self, *arguments, **named):
        raise RuntimeError(f"tl.{self.__name__} runs only inside a kernel")

    def __repr__(self):
        return f"<tilewise builtin tl.{self.__name__}>"


__all__ = """
    program_id num_programs arange full zeros zeros_like to_tensor cat cast
    broadcast broadcast_to expand_dims squeeze unsqueeze reshape view ravel permute trans join split interleave flip swizzle2d
    load store make_block_ptr advance
    make_tensor_descriptor load_tensor_descriptor store_tensor_descriptor
    atomic_add atomic_max atomic_min atomic_and atomic_or atomic_xor atomic_xchg atomic_cas atomic_poll
    where minimum maximum clamp add sub mul fma umulhi div_rn fdiv cdiv
    abs ceil floor exp exp2 log log2 sin cos sqrt sqrt_rn rsqrt erf sigmoid softmax
    dot dot_scaled
    reduce sum max min argmax argmin xor_sum reduce_or associative_scan cumsum cumprod sort topk bitonic_merge histogram gather
    map_elementwise
    range static_range condition static_assert static_print device_print device_assert assume multiple_of max_contiguous
    max_constancy debug_barrier inline_asm_elementwise
    philox philox_impl randint randint4x rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal
""".split()

globals().update((name, Builtin(name)) for name in __all__)
