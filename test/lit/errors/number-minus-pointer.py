# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = 4 - p
# CHECK: number-minus-pointer.py:[[#@LINE-1]]:9: error: operator '-' cannot take int and pointer<fp32>; a pointer moves by 'pointer + int' and 'pointer - int'
