# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(SIZE: tl.constexpr):
    return tl.arange(0, SIZE)
# CHECK: constexpr-got-runtime.py:[[#@LINE-1]]:25: error: tl.arange's arguments must be of type tl.constexpr: compile-time ints, got a runtime int32

@triton.jit
def k(p, n):
    f(n)
# CHECK: note: the parameter 'SIZE' of 'f' is tl.constexpr, but is given a runtime value here: {{.*}}constexpr-got-runtime.py:[[#@LINE-1]]:7
