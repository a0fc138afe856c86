# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    if o > 3:
# CHECK: block-condition.py:[[#@LINE-1]]:8: error: 'if' needs a scalar test, got int1[16]; choose per element with tl.where(...)
        tl.store(p, 1.0)
