# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import math

@triton.jit
def k(x):
    y = math.sqrt(x)
# CHECK: math-sqrt-in-kernel.py:[[#@LINE-1]]:14: error: math.sqrt is not available in kernels, which have pi, e, tau, inf and nan of Python's math
