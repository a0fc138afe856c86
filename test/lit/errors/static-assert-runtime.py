# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    tl.static_assert(n > 3)
# CHECK: static-assert-runtime.py:[[#@LINE-1]]:5: error: tl.static_assert takes a compile-time bool, got a runtime int1; use tl.device_assert
