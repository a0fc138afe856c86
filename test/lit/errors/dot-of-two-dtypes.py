# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, a.to(tl.float16))
# CHECK: dot-of-two-dtypes.py:[[#@LINE-1]]:19: error: tl.dot needs both operands of one dtype: Both operands must be same dtype. Got fp32 and fp16
