# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    m = not o
# CHECK: not-of-block.py:[[#@LINE-1]]:9: error: 'not' needs a bool (int1), got int32[16]; write (x == 0)
