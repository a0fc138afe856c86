# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = a @ a
# CHECK: matmul-operator.py:[[#@LINE-1]]:9: error: tensors have no operator '@'; write tl.dot(a, b)
