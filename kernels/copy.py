"""z = x: the smallest kernel there is."""

import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside), mask=inside)
