# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in range(n):
        # load the next block
# CHECK: loop-of-comments.py:[[#@LINE-1]]:9: error: fill in this step: the loop body has no statement; write one, or 'pass'
        # add it up
    tl.store(p, 1.0)
