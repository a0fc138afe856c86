# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    while o > 3:
# CHECK: while-on-block.py:[[#@LINE-1]]:11: error: 'while' needs a scalar test, got int1[16]; choose per element with tl.where(...)
        o -= 1
