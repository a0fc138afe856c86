# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = tl.constexpr(n)
# CHECK: constexpr-call-of-runtime.py:[[#@LINE-1]]:9: error: tl.constexpr takes a compile-time value, got a runtime int32
