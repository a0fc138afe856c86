# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))
    for i in range(n):
        b = tl.make_block_ptr(p, (16,), (1,), (0,), (4,), (0,))
# CHECK: block-pointer-changes-in-loop.py:[[#@LINE-1]]:9: error: loop-carried variable 'b' has type block_ptr(
