"""Step 17, an answer."""

import triton
import triton.language as tl

SIGNATURE = "*fp32:16, *fp32:16, fp32, fp32, i32, 256"


@triton.jit
def scale_and_shift(x_ptr, y_ptr, factor, shift, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    tl.store(y_ptr + at, x * factor + shift, mask=inside)
