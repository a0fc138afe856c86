# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def f(a, b):
    return a, b * 1.0

@triton.jit
def k(p):
    x = tl.map_elementwise(f, tl.arange(0, 8), pack=2)
# CHECK: map-result-types.py:[[#@LINE-1]]:9: error: tl.map_elementwise: type mismatch in unpacked results
