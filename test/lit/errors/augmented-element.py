# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16)
    x[0] += 1
# CHECK: augmented-element.py:[[#@LINE-1]]:5: error: assignment to an element of int32[16] is not part of the kernel language; choose per element with tl.where(...)
