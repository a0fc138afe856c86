"""Step 3: z = x + y."""

import triton
import triton.language as tl


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    # step 1: the elements of this program
    at = ...
    # step 2: the mask that keeps them below n
    inside = ...
    # step 3: load x and y
    x = ...
    y = ...
    # step 4: add
    z = ...
    # step 5: store z
    ...
