# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(a):
    x = a // 2
# CHECK: floor-division-of-floats.py:[[#@LINE-1]]:9: error: '//' takes ints, got fp32 and int; write tl.floor(x / y)
