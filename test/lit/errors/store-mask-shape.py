# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    tl.store(p + tl.arange(0, 16), 1.0, mask=tl.arange(0, 64) < n)
# CHECK: store-mask-shape.py:[[#@LINE-1]]:46: error: tl.store cannot fit a mask of shape [64] into pointers of shape [16]
