# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(SIZE: tl.constexpr):
    return tl.arange(0, SIZE)

@triton.jit
def k(p, n):
    f(n)
# CHECK: constexpr-got-runtime.py:[[#@LINE-1]]:7: error: the parameter 'SIZE' of 'f' is tl.constexpr, got a runtime int32
