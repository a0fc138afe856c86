# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.constexpr_function
def f():
    a = []
    a.append([a])
# CHECK: list-holds-itself.py:[[#@LINE-1]]:5: error: a list or dict cannot hold itself
    return 1

@triton.jit
def k(p):
    x: tl.constexpr = f()
