# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = 3
    tl.store(p, x(1))
# CHECK: number-called.py:[[#@LINE-1]]:17: error: int32 cannot be called
