"""sqrt(a * b + c) in one pass: three inputs are read once, one output is written once, and the two values between never leave the registers."""

import triton
import triton.language as tl


@triton.jit
def multiply_add_sqrt(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    # Three separate operations would move 8 values per element (2 in + 1 out, 2 + 1, 1 + 1); fused it is 4.
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(a_ptr + at, mask=inside)
    b = tl.load(b_ptr + at, mask=inside)
    c = tl.load(c_ptr + at, mask=inside)
    compute: tl.constexpr = tl.float64 if a.dtype == tl.float64 else tl.float32
    y = tl.sqrt(a.to(compute) * b.to(compute) + c.to(compute))
    tl.store(out_ptr + at, y, mask=inside)
