# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = 1.0 if n > 3 else 2
# CHECK: ternary-types.py:[[#@LINE-1]]:9: error: Ternary expression with dynamic condition has inconsistent types, got fp32 and int32; cast one side with .to(...)
