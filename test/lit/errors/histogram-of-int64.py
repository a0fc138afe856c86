# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    h = tl.histogram(tl.arange(0, 16).to(tl.int64), 4)
# CHECK: histogram-of-int64.py:[[#@LINE-1]]:22: error: histogram only supports 32-bit integer input, but got int64
