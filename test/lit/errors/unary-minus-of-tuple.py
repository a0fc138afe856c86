# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = -(0, 0)
# CHECK: unary-minus-of-tuple.py:[[#@LINE-1]]:9: error: operator '-' cannot take tuple
