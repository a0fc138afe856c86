# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    s = tl.zeros((32, 8), tl.uint8)
    t = tl.zeros((32, 4), tl.uint8)
    c = tl.dot_scaled(a, s, "e2m1", b, t, "e2m1")
# CHECK: dot-scaled-groups-differ.py:[[#@LINE-1]]:9: error: {{.*}}Operands must have the same scale factor; (lhs: 16 vs rhs: 32)
