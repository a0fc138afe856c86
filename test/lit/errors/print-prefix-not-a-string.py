# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    tl.device_print(n)
# CHECK: print-prefix-not-a-string.py:[[#@LINE-1]]:5: error: argument to device_print must be a string literal that stands before the values, got int32; write tl.device_print('x', x)
