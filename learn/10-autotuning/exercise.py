"""Step 10: let the machine choose the block."""

import triton
import triton.language as tl

# step 1: a list of at least three triton.Config({"BLOCK": ...}), the largest at least 8 times the smallest
CONFIGS = ...
# step 2: the names of the arguments that ask for a new measurement when they change
KEY = ...


@triton.autotune(configs=CONFIGS, key=KEY)
@triton.jit
def scale(x_ptr, y_ptr, factor, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=inside) * factor, mask=inside)
