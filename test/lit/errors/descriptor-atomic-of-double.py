# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp64" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16], [1], [8])
    d.atomic_add([0], tl.zeros((8,), tl.float64))
# CHECK: descriptor-atomic-of-double.py:[[#@LINE-1]]:5: error: Unsupported dtype: this atomic of a descriptor does not take fp64
