# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = tl.load(n)
# CHECK: load-of-number.py:[[#@LINE-1]]:17: error: tl.load needs a pointer or a block of pointers, got int32
