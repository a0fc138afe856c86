# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, mask=True, 0.0)
# CHECK: positional-after-keyword.py:[[#@LINE-1]]:31: error: a positional argument follows a keyword argument; positional arguments come first
