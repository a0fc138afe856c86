# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.reshape(tl.arange(0, 64), (32,))
# CHECK: reshape-count.py:[[#@LINE-1]]:9: error: cannot reshape int32[64] to [32]: the number of elements differs
