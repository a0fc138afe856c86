# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 48" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, N: tl.constexpr):
    tl.static_assert(N % 32 == 0, f"N is {N}")
# CHECK: static-assert.py:[[#@LINE-1]]:5: error: static assertion failed: N is 48
