# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    b = tl.make_block_ptr(p, (16, 16), (16, 1), (0, 0), (8, 8), (1, 1))
# CHECK: block-pointer-order.py:[[#@LINE-1]]:9: error: Expected a permutation of (0, 1, ..., len(order)-1) in order, got (1, 1) for a block of rank 2
