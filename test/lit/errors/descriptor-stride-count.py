# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [1], [8, 8])
# CHECK: descriptor-stride-count.py:[[#@LINE-1]]:9: error: Expected 2 strides but got 1
