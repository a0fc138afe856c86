# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p + tl.arange(0, 16), tl.zeros((32,), tl.float32))
# CHECK: store-value-shape.py:[[#@LINE-1]]:36: error: tl.store cannot fit a value of shape [32] into pointers of shape [16]
