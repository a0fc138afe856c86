# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in range(0, n, 0):
# CHECK: range-step-zero.py:[[#@LINE-1]]:26: error: a loop's step must not be 0
        pass
