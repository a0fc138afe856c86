# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = yield 3
# CHECK: yield-in-kernel.py:[[#@LINE-1]]:9: error: 'await' and 'yield' are not part of the kernel language
