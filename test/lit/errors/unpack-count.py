# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a, b = 1, 2, 3
# CHECK: unpack-count.py:[[#@LINE-1]]:5: error: too many values to unpack (expected 2, got 3)
