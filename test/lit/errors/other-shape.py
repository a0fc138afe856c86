# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    o = tl.arange(0, 16)
    x = tl.load(p + o, mask=o < n, other=tl.zeros((32,), tl.float32))
# CHECK: other-shape.py:[[#@LINE-1]]:42: error: tl.load cannot fit 'other' of shape [32] to pointers of shape [16]
