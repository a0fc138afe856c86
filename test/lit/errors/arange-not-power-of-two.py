# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 100)
# CHECK: arange-not-power-of-two.py:[[#@LINE-1]]:22: error: arange's range must be a power of 2; got a length of 100, use the next power of two, 128, and a mask
