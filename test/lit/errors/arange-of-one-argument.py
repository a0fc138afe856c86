# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(16)
# CHECK: arange-of-one-argument.py:[[#@LINE-1]]:9: error: tl.arange is missing its argument 'end'; write tl.arange(start, end)
