# RUN: not %tilewise emit --stage=tile %s:k --signature "fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x):
    y = int(x)
# CHECK: int-of-runtime.py:[[#@LINE-1]]:9: error: int() takes a compile-time value, got a runtime fp32; write x.to(tl.int32)
