# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = p[0]
# CHECK: indexing-a-pointer.py:[[#@LINE-1]]:11: error: unsupported tensor index: expected ':' or None, got int; elements are reached through tl.load
