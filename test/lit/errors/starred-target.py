# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a, *b = (1, 2, 3)
# CHECK: starred-target.py:[[#@LINE-1]]:8: error: starred assignment targets are not supported; name each element
