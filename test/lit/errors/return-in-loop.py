# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    for i in range(n):
        if i == 3:
            return
# CHECK: return-in-loop.py:8:9: error: Cannot have `return` statements inside `while` or `for` statements in triton; set a variable and test it after the loop
