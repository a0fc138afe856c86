# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = 1
    x++
# CHECK: increment-operator.py:[[#@LINE-1]]:6: error: '++' is not a Python operator: write '+= 1'
