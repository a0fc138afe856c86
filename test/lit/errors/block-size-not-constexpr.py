# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, BLOCK_SIZE):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
# CHECK: block-size-not-constexpr.py:[[#@LINE-1]]:60: error: tl.arange's arguments must be of type tl.constexpr: compile-time ints, got a runtime int32
    tl.store(x_ptr + offsets, 0.0)
