# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, x)
# CHECK: name-used-before-assignment.py:[[#@LINE-1]]:17: error: 'x' is not defined
    x = 1.0
