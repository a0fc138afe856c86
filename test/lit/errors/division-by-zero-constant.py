# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x: tl.constexpr = 1 // 0
# CHECK: division-by-zero-constant.py:[[#@LINE-1]]:23: error: division by zero in a compile-time expression
