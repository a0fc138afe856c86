# RUN: not %tilewise emit --stage=tile %s:k --signature "u32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(a):
    x = a + -1
# CHECK: negative-with-unsigned.py:[[#@LINE-1]]:13: error: the negative number -1 meets the unsigned type uint32; cast the tensor to a signed type first
