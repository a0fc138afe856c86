# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = (1, 2)[2]
# CHECK: tuple-index-outside.py:[[#@LINE-1]]:16: error: index 2 is outside a tuple of 2 elements
