# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((2, 16, 16), tl.float32)
    c = tl.dot(a, tl.zeros((4, 16, 16), tl.float32))
# CHECK: dot-batches-differ.py:[[#@LINE-1]]:19: error: tl.dot needs equal batches, got [2, 16, 16] and [4, 16, 16]
