# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    if n = 3:
# CHECK: assignment-in-if.py:[[#@LINE-1]]:10: error: '=' assigns; to compare, write '=='
        tl.store(p, 1.0)
