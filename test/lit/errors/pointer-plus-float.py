# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = p + 0.5
# CHECK: pointer-plus-float.py:[[#@LINE-1]]:9: error: a pointer moves by ints, got float
