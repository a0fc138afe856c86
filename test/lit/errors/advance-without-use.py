# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))
    tl.advance(b, (8,))
# CHECK: advance-without-use.py:[[#@LINE-1]]:5: error: The result of tl.advance is not being used
