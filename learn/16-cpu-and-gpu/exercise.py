"""Step 16: a fixed number of programs for any amount of work."""

import triton
import triton.language as tl


@triton.jit
def square(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    # step 1: where this program begins, and how far it is from one of its blocks to its next
    start = ...
    stride = ...
    for first in range(start, n, stride):
        # step 2: load, square and store the block that begins at first
        ...
