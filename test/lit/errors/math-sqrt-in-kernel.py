# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

import math

@triton.jit
def k(x):
    y = math.sqrt(x)
# CHECK: math-sqrt-in-kernel.py:[[#@LINE-1]]:9: error: functions of Python's math take compile-time numbers, got a runtime fp32; the language has its own, as tl.sqrt or tl.exp
