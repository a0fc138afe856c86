# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.trans(tl.arange(0, 16))
# CHECK: trans-of-vector.py:[[#@LINE-1]]:9: error: tl.trans needs a block of rank 2 or more, got int32[16]
