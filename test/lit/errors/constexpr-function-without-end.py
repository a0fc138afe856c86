# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.constexpr_function
def f(n):
    while True:
        n += 1
    return n

@triton.jit
def k(p):
    x: tl.constexpr = f(7)
# CHECK: {{.*}}error: compiling this kernel takes too many steps
