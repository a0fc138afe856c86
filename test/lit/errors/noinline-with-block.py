# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit(noinline=True)
def f(x):
    return x

@triton.jit
def k(p):
    y = f(tl.arange(0, 16))
# CHECK: noinline-with-block.py:[[#@LINE-1]]:11: error: 'f' is marked noinline, but was called with a non-scalar argument of type int32[16]; drop noinline=True
