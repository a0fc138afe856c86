# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def pair(a, b):
    return a, b

@triton.jit
def k(p):
    y = tl.reduce(tl.arange(0, 16), 0, pair)
# CHECK: combine-result-count.py:[[#@LINE-1]]:9: error: the combine function must give 1 results, got 2
