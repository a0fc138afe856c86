# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
# CHECK: too-few-arguments.py:[[#@LINE-1]]:10: error: the signature gives no argument for the parameter 'n' of the kernel 'k', which has 2 parameters
    tl.store(p, n)
