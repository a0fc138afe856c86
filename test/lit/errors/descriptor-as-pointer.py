# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    x = tl.load(d)
# CHECK: descriptor-as-pointer.py:[[#@LINE-1]]:9: error: tl.load needs a pointer, got a tensor_descriptor; write d.load([...])
