# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_xor(p, 1.0)
# CHECK: atomic-xor-of-float.py:[[#@LINE-1]]:19: error: tl.atomic_xor does not support fp32
