# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((32, 32), tl.uint8)
    c = tl.dot_scaled(a, None, "e7m0", a, None, "e4m3")
# CHECK: dot-scaled-unknown-format.py:[[#@LINE-1]]:9: error: {{.*}}Invalid float format: e7m0.
