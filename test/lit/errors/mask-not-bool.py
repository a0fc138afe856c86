# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    x = tl.load(p + o, mask=o)
# CHECK: mask-not-bool.py:[[#@LINE-1]]:29: error: a mask is a tensor of bools (int1), got int32[16]; write mask=(x != 0)
