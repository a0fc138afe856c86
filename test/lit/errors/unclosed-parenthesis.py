# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p + (n * 2)
# CHECK: unclosed-parenthesis.py:[[#@LINE-1]]:16: error: '(' is never closed
    tl.store(p, x)
