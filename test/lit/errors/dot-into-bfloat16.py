# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float16)
    c = tl.dot(a, a, out_dtype=tl.bfloat16)
# CHECK: dot-into-bfloat16.py:[[#@LINE-1]]:9: error: out_dtype=bfloat16 is unsupported. Please use out_dtype=float32/float16
