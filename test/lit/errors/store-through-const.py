# RUN: not %tilewise emit --stage=tile %s:k --signature "*kfp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, 1.0)
# CHECK: store-through-const.py:[[#@LINE-1]]:14: error: Cannot store to a constant pointer, got const pointer<fp32>; drop tl.const from the parameter, or pass memory that may be written
