# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.full((16,), tl.arange(0, 16), tl.int32)
# CHECK: full-of-block.py:[[#@LINE-1]]:9: error: tl.full takes a number or a scalar as its value, got int32[16]
