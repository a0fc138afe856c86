# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    acc = tl.zeros((n, 16), dtype=tl.float32)
# CHECK: shape-not-constexpr.py:[[#@LINE-1]]:11: error: tl.zeros' shape must be a compile-time int, got a runtime int32; mark what it comes from as tl.constexpr
