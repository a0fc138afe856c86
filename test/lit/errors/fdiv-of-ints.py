# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.fdiv(tl.load(p), 2.0)
# CHECK: fdiv-of-ints.py:[[#@LINE-1]]:17: error: both operands of fdiv must have floating scalar type, got int32; write x / y, or cast with .to(tl.float32)
