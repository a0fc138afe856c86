# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a, b = tl.split(tl.zeros((16, 4), tl.float32))
# CHECK: split-last-dimension.py:[[#@LINE-1]]:21: error: tl.split needs a last dimension of 2, got fp32[16, 4]
