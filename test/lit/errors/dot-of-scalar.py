# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    c = tl.dot(1.0, 2.0)
# CHECK: dot-of-scalar.py:[[#@LINE-1]]:9: error: tl.dot needs blocks, got float
