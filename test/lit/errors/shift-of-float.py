# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = x << 1
# CHECK: shift-of-float.py:[[#@LINE-1]]:9: error: bit operators take ints: invalid operands of type fp32 and int
