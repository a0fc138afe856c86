# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.map_elementwise(tl.exp, tl.arange(0, 8))
# CHECK: map-of-plain-function.py:[[#@LINE-1]]:9: error: tl.map_elementwise's scalar_fn must be a jit function, got the function 'tl.exp'
