# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = sum([1, 2])
# CHECK: python-function-in-kernel.py:[[#@LINE-1]]:9: error: 'sum' is Python's and not part of the kernel language; write tl.sum
