# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    d.stor([0])
# CHECK: descriptor-unknown-method.py:[[#@LINE-1]]:7: error: a tensor_descriptor has no attribute 'stor'; did you mean 'store'?
