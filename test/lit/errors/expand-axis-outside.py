# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.expand_dims(tl.arange(0, 16), 3)
# CHECK: expand-axis-outside.py:[[#@LINE-1]]:42: error: invalid axis 3: the result has rank 2
