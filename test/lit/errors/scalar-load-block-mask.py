# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p, mask=tl.arange(0, 16) < n)
# CHECK: scalar-load-block-mask.py:[[#@LINE-1]]:25: error: tl.load of one pointer takes a scalar mask, got int1[16]
