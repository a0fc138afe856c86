# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    d.store([0], tl.zeros((16,), tl.float32))
# CHECK: descriptor-store-shape.py:[[#@LINE-1]]:5: error: expected value shape [8], got [16]
