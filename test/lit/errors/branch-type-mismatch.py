# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = 1.0
    if n > 3:
        x = 2
# CHECK: branch-type-mismatch.py:[[#@LINE-1]]:9: error: Mismatched type for x between the branches of an if: int32 if the test is true, fp32 if it is false; cast one side with .to(...)
    tl.store(p, x)
