# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(a):
    x = a ** 2
# CHECK: power-of-tensor.py:[[#@LINE-1]]:9: error: tensors have no operator '**'; for a small power write the products
