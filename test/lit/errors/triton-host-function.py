# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = triton.compile(p)
# CHECK: triton-host-function.py:[[#@LINE-1]]:16: error: triton.compile runs on the host and cannot be used in a kernel
