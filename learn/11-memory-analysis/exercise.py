"""Step 11: right, but eight times the traffic. (There is nothing to fill in; change what a program's lanes are.)"""

import triton
import triton.language as tl


@triton.jit
def double(x_ptr, y_ptr, size, stride, BLOCK: tl.constexpr):
    column = tl.program_id(0)
    row = tl.arange(0, BLOCK)
    at = row * stride + column
    inside = row < size
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside) * 2, mask=inside)
