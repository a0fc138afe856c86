# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" --target=cuda:90 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((8, 8), tl.float16)
    c = tl.dot(a, a)
# CHECK: dot-least-depth.py:[[#@LINE-1]]:9: error: Input shapes should have M >= 1, N >= 1 and K >= 16
