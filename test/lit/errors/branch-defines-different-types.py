# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    if n > 0:
        y = 1.0
# CHECK: branch-defines-different-types.py:[[#@LINE-1]]:9: error: Mismatched type for y between the branches of an if: fp32 if the test is true, int32[16] if it is false; cast one side with .to(...)
    else:
        y = tl.arange(0, 16)
    tl.store(p, y)
