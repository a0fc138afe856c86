# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(tl.arange(0, 16))
# CHECK: load-from-block-of-ints.py:[[#@LINE-1]]:17: error: tl.load needs a pointer or a block of pointers, got int32[16]
