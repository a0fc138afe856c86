# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, a, input_precision="exact")
# CHECK: dot-precision.py:[[#@LINE-1]]:9: error: tl.dot has no input_precision 'exact', expected 'tf32', 'tf32x3', 'ieee', 'bf16x3' or 'bf16x6'
