# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    d = tl.make_tensor_descriptor(p, [n, n], [n, 2], [8, 8])
# CHECK: descriptor-last-stride.py:[[#@LINE-1]]:9: error: Tensor descriptor last dim must be 1 but got 2
