# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    tl.static_print(f"{n}")
# CHECK: f-string-of-runtime.py:[[#@LINE-1]]:24: error: an f-string takes compile-time values, got a runtime int32
