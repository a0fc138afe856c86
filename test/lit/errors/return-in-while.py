# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    i = 0
    while i < n:
        if i == 5:
# CHECK: return-in-while.py:[[#@LINE-1]]:9: error: Cannot have `return` statements inside `while` or `for` statements in triton; set a variable and test it after the loop
            return
        i += 1
