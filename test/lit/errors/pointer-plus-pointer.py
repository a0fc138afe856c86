# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, *fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q):
    x = p + q
# CHECK: pointer-plus-pointer.py:[[#@LINE-1]]:9: error: two pointers have no operator '+'; a pointer moves by ints
