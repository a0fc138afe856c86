# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.zeros((16,))
# CHECK: zeros-without-dtype.py:[[#@LINE-1]]:9: error: tl.zeros is missing its argument 'dtype'; write tl.zeros(shape, dtype)
