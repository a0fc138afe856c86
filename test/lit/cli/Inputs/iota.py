"""x[i] = i * step, to have an array to start from."""

import triton
import triton.language as tl


@triton.jit
def iota(x_ptr, n, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at * step, mask=at < n)
