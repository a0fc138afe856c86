# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    y = tl.sum(tl.arange(0, 16), axis=n)
# CHECK: reduce-runtime-axis.py:[[#@LINE-1]]:9: error: the axis of a reduction must be a compile-time int, got a runtime int32; mark what it comes from as tl.constexpr
# CHECK: note: inside the standard library: <tilewise>/stdlib.py
