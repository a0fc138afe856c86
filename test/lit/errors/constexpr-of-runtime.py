# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x: tl.constexpr = n + 1
# CHECK: constexpr-of-runtime.py:[[#@LINE-1]]:5: error: 'x' is tl.constexpr, got a runtime int32
