# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(16, 0)
# CHECK: arange-backwards.py:[[#@LINE-1]]:23: error: tl.arange's end must be greater than its start, got 16 and 0
