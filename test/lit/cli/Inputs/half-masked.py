"""A load without the mask that the store has."""
import triton
import triton.language as tl


@triton.jit
def half_masked(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(x_ptr + at, x + 1, mask=at < n)
