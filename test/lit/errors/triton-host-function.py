# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = triton.Config({})
# CHECK: triton-host-function.py:[[#@LINE-1]]:16: error: triton.Config is of the host and cannot be used in a kernel
