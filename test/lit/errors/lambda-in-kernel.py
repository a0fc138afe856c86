# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    f = lambda x: x
# CHECK: lambda-in-kernel.py:[[#@LINE-1]]:9: error: 'lambda' is not part of the kernel language; write a function with @triton.jit
