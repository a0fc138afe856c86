# RUN: %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x: tl.constexpr = n + 1
# CHECK: constexpr-of-runtime.py:[[#@LINE-1]]:5: warning: 'x' is annotated tl.constexpr but gets a runtime int32; it is a runtime variable
