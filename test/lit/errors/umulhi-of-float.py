# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = tl.umulhi(x, x)
# CHECK: umulhi-of-float.py:[[#@LINE-1]]:9: error: tl.umulhi takes ints of 32 or 64 bits, got fp32
