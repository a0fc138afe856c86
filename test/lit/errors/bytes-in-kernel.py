# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = b'abc'
# CHECK: bytes-in-kernel.py:[[#@LINE-1]]:9: error: bytes are not part of the kernel language; write a string
