# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8], padding_option="nan")
# CHECK: descriptor-nan-of-ints.py:[[#@LINE-1]]:9: error: Padding option `nan` is not supported for integer blocks, got int32
