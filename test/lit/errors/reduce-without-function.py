# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    y = tl.reduce(tl.arange(0, 16), 0, 3)
# CHECK: reduce-without-function.py:[[#@LINE-1]]:9: error: tl.reduce's combine_fn must be a jit function, got int
