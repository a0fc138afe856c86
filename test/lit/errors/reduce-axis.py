# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.sum(tl.arange(0, 16), axis=1)
# CHECK: reduce-axis.py:[[#@LINE-1]]:9: error: axis 1 is outside rank 1 of int32[16]
# CHECK: note: inside the standard library: <tilewise>/stdlib.py
