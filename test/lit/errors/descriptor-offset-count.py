# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    x = d.load([0, 0])
# CHECK: descriptor-offset-count.py:[[#@LINE-1]]:9: error: expected 1 offsets, but got 2
