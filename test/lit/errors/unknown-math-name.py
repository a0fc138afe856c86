# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = tl.math.cosine(x)
# CHECK: unknown-math-name.py:[[#@LINE-1]]:17: error: tl has no 'cosine'
