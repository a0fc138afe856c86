# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(value):
    return value

@triton.jit
def k(p):
    tl.store(p, f(valu=1.0))
# CHECK: function-unknown-keyword.py:[[#@LINE-1]]:24: error: 'f' has no parameter 'valu'; did you mean 'value'?
