# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.zeros((16.0,), tl.float32)
# CHECK: shape-of-float.py:[[#@LINE-1]]:9: error: tl.zeros' shape must be a compile-time int, got float
