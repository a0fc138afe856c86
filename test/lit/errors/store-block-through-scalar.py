# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, tl.arange(0, 16))
# CHECK: store-block-through-scalar.py:[[#@LINE-1]]:17: error: tl.store through one pointer takes a scalar, got int32[16]; add offsets to the pointer
