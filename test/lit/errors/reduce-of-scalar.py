# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = tl.sum(x, axis=0)
# CHECK: reduce-of-scalar.py:[[#@LINE-1]]:9: error: a reduction needs a block, got the scalar fp32
# CHECK: note: inside the standard library: <tilewise>/stdlib.py
