# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    o = tl.arange(0, 16)
    x = tl.load(p + o, mask=tl.arange(0, 32) < n)
# CHECK: mask-shape.py:[[#@LINE-1]]:29: error: tl.load cannot fit a mask of shape [32] to pointers of shape [16]
