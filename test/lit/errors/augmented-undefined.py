# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a += 1
# CHECK: augmented-undefined.py:[[#@LINE-1]]:5: error: 'a' is not defined
