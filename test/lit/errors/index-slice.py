# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16)[2:8]
# CHECK: index-slice.py:[[#@LINE-1]]:26: error: unsupported tensor index: expected ':' or None, got a slice; elements are reached through tl.load
