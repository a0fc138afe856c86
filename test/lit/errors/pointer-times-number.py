# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p * 2)
# CHECK: pointer-times-number.py:[[#@LINE-1]]:17: error: operator '*' cannot take pointer<fp32> and int; a pointer moves by 'pointer + int' and 'pointer - int'
