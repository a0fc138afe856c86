"""Step 17: a kernel that is compiled before there are arguments."""

import triton
import triton.language as tl

# step 1: one entry per parameter, separated by commas, in a string
SIGNATURE = ...


@triton.jit
def scale_and_shift(x_ptr, y_ptr, factor, shift, n, BLOCK: tl.constexpr):
    # step 2: y = x * factor + shift
    ...
