# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, a, input_precision='ieee', allow_tf32=True)
# CHECK: dot-precision-twice.py:[[#@LINE-1]]:9: error: tl.dot takes input_precision or allow_tf32, not both
