# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = tl.clamp(x, 0, 5)
# CHECK: clamp-of-int.py:[[#@LINE-1]]:18: error: tl.clamp takes floats, got int32; write tl.minimum(tl.maximum(x, low), high)
