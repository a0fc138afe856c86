# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = 0
    for i in range(n):
        x = x + 0.5
# CHECK: loop-carried-type.py:[[#@LINE-1]]:9: error: loop-carried variable 'x' has type int32 before the loop but fp32 after an iteration
    tl.store(p, x)
