# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    d = tl.make_tensor_descriptor(p, [n], [1], [2])
# CHECK: descriptor-block-below-16-bytes.py:[[#@LINE-1]]:9: error: Descriptor block shape must have at least 16 bytes in the last dimension, but got 2 * 4 = 8 bytes
