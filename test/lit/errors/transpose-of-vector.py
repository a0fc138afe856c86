# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16).T
# CHECK: transpose-of-vector.py:[[#@LINE-1]]:26: error: .T is of a block of rank 2, got int32[16]; tl.permute moves any dimensions, and v[:, None] makes a column of a vector
