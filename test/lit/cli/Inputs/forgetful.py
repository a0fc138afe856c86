"""A store without the mask that its load has."""

import triton
import triton.language as tl


@triton.jit
def forgetful(out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(out_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x + 1)
