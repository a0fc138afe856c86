# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i64" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    x = d.load([n])
# CHECK: descriptor-offset-of-64-bits.py:[[#@LINE-1]]:9: error: Expected a 32-bit integer; add a `.to(tl.int32)` to convert the value
