# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    o = tl.arange(0, 16)
    m = o and n
# CHECK: and-of-blocks.py:[[#@LINE-1]]:9: error: 'and' needs bools (int1), got int32[16]; write (x != 0)
