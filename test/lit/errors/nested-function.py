# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    def inner(x):
# CHECK: nested-function.py:[[#@LINE-1]]:5: error: a nested function is not part of the kernel language
        return x
    tl.store(p, 1.0)
