"""Step 15: slow, but why? (There is nothing to fill in; the loop is the mistake.)"""

import triton
import triton.language as tl


@triton.jit
def row_sums(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for column in range(0, columns):
        total += tl.load(x_ptr + row * columns + column)
    tl.store(out_ptr + row, total)
