"""Step 2: which elements are mine?"""

import triton
import triton.language as tl


@triton.jit
def who_am_i(out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    # step 1: the numbers of this program's elements: BLOCK of them, beginning at pid * BLOCK
    at = ...
    # step 2: which of them are below n
    inside = ...
    tl.store(out_ptr + at, pid, mask=inside)
