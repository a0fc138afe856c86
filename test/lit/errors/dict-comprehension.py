# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = {i: i for i in (1, 2)}
# CHECK: dict-comprehension.py:[[#@LINE-1]]:9: error: dict comprehensions are not part of the kernel language: only list comprehensions with one 'for' are; write [f(x) for x in values]
