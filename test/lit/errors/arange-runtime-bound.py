# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.arange(0, n)
# CHECK: arange-runtime-bound.py:[[#@LINE-1]]:22: error: tl.arange's arguments must be of type tl.constexpr: compile-time ints, got a runtime int32
