"""Step 11, an answer."""

import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr, size, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    at = row * stride + column
    inside = column < size
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside) * 2, mask=inside)
