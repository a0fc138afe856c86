# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p) + 'a'
# CHECK: string-plus-tensor.py:[[#@LINE-1]]:22: error: operator '+' cannot take fp32 and str
