# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = ~x
# CHECK: invert-of-float.py:[[#@LINE-1]]:9: error: operator '~' takes ints, got fp32
