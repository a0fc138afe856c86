# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    y = tl.abs(p)
# CHECK: abs-of-pointer.py:[[#@LINE-1]]:16: error: tl.abs takes ints or floats, got pointer<fp32>
