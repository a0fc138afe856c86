# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    tl.store(n, 1.0)
# CHECK: store-to-number.py:[[#@LINE-1]]:14: error: tl.store needs a pointer or a block of pointers, got int32
