# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(x, y):
    return x + y

@triton.jit
def k(p):
    tl.store(p, f(1.0))
# CHECK: function-missing-argument.py:[[#@LINE-1]]:17: error: 'f' is missing its argument 'y'
