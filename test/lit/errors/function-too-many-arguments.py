# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(x):
    return x

@triton.jit
def k(p):
    tl.store(p, f(1, 2))
# CHECK: function-too-many-arguments.py:[[#@LINE-1]]:22: error: 'f' takes 1 positional argument, got more
