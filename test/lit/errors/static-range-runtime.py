# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in tl.static_range(n):
# CHECK: static-range-runtime.py:[[#@LINE-1]]:30: error: tl.static_range takes compile-time ints, got a runtime int32; mark what it comes from as tl.constexpr, or write range(...)
        pass
