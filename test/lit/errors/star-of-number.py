# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(x):
    return x

@triton.jit
def k(p):
    tl.store(p, f(*3))
# CHECK: star-of-number.py:[[#@LINE-1]]:19: error: expected a tuple or a list, got int
