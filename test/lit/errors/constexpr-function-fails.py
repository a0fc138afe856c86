# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.constexpr_function
def half(n):
    assert n % 2 == 0, f"{n} is odd"
# CHECK: constexpr-function-fails.py:[[#@LINE-1]]:5: error: assertion failed: 7 is odd
    return n // 2

@triton.jit
def k(p):
    x: tl.constexpr = half(7)
