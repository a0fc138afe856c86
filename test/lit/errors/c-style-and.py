# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    if n > 3 && n < 5:
# CHECK: c-style-and.py:[[#@LINE-1]]:14: error: '&&' is not a Python operator: write 'and', or '&' between blocks
        tl.store(p, 1.0)
