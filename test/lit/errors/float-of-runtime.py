# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = float(n)
# CHECK: float-of-runtime.py:[[#@LINE-1]]:9: error: float() takes a compile-time value, got a runtime int32; write x.to(tl.float32)
