# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(n):
    return f(n + 1)
# CHECK: endless-recursion.py:[[#@LINE-1]]:12: error: calls are nested more than 100 deep; does 'f' call itself without an end?

@triton.jit
def k(n):
    f(n)
