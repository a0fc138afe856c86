# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = n in (1, 2)
# CHECK: in-operator.py:[[#@LINE-1]]:9: error: operator 'in' takes compile-time values, got int32 and tuple; compare with == and join with |
