# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = (1, 2) if n > 2 else (3, 4)
# CHECK: ternary-of-tuples.py:[[#@LINE-1]]:9: error: a runtime 'x if test else y' cannot choose between tuples; write an if statement that assigns each element
