# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    b = tl.make_block_ptr(p, (16, 16), (16, 1), (0,), (8, 8), (1, 0))
# CHECK: block-pointer-ranks.py:[[#@LINE-1]]:9: error: Expected shape/strides/offsets/block_shape to have the same length, got 2, 2, 1 and 2
