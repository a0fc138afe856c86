# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16).summ()
# CHECK: unknown-method.py:[[#@LINE-1]]:26: error: a tensor has no attribute 'summ'; did you mean 'sum'?
