"""Step 1, an answer."""

import triton
import triton.language as tl


@triton.jit
def multiply_add_sqrt(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(a_ptr + at, mask=inside)
    b = tl.load(b_ptr + at, mask=inside)
    c = tl.load(c_ptr + at, mask=inside)
    # step 1: sqrt(a * b + c), with tl.sqrt
    y = tl.sqrt(a * b + c)
    tl.store(out_ptr + at, y, mask=inside)
