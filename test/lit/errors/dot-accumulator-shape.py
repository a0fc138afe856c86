# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, a, acc=tl.zeros((16, 32), tl.float32))
# CHECK: dot-accumulator-shape.py:[[#@LINE-1]]:26: error: tl.dot: expected accumulator shape [16, 16], got [16, 32]
