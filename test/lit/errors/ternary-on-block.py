# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    x = 1 if o > 3 else 2
# CHECK: ternary-on-block.py:[[#@LINE-1]]:14: error: 'x if test else y' needs a scalar test, got int1[16]; choose per element with tl.where(...)
