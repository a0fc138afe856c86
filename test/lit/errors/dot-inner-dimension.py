# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 32), tl.float32)
    b = tl.zeros((16, 32), tl.float32)
    c = tl.dot(a, b)
# CHECK: dot-inner-dimension.py:[[#@LINE-1]]:19: error: tl.dot needs the inner dimensions to match, got [16, 32] and [16, 32]
