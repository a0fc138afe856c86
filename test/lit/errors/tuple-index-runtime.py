# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = (1, 2)[n]
# CHECK: tuple-index-runtime.py:[[#@LINE-1]]:16: error: the index of a tuple must be a compile-time int, got a runtime int32
