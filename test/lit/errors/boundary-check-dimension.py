# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))
    x = tl.load(b, boundary_check=(1,))
# CHECK: boundary-check-dimension.py:[[#@LINE-1]]:9: error: boundary_check names dimension 1 of a block of rank 1
