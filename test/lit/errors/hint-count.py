# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.multiple_of(tl.arange(0, 16), [8, 8])
# CHECK: hint-count.py:[[#@LINE-1]]:9: error: Shape of input to multiple_of does not match the length of values: 2 for int32[16]
