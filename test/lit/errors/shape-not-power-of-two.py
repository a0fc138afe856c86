# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.zeros([24], tl.float32)
# CHECK: shape-not-power-of-two.py:[[#@LINE-1]]:9: error: Shape element 0 must be a power of 2; got 24 in [24]
