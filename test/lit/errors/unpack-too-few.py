# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a, b, c = (1, 2)
# CHECK: unpack-too-few.py:[[#@LINE-1]]:5: error: not enough values to unpack (expected 3, got 2)
