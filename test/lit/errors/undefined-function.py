# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def compute(x):
    return x

@triton.jit
def k(p):
    tl.store(p, comput(1.0))
# CHECK: undefined-function.py:[[#@LINE-1]]:17: error: 'comput' is not defined; did you mean 'compute'?
