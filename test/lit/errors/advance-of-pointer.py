# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    q = tl.advance(p, (8,))
# CHECK: advance-of-pointer.py:[[#@LINE-1]]:9: error: tl.advance moves a block pointer, made by tl.make_block_ptr, got pointer<fp32>
