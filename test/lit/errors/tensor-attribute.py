# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(a):
    x = a.dtpe
# CHECK: tensor-attribute.py:[[#@LINE-1]]:11: error: a tensor has no attribute 'dtpe'; did you mean 'dtype'?
