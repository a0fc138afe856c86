# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, msk=True)
# CHECK: unknown-keyword.py:[[#@LINE-1]]:24: error: tl.load has no parameter 'msk'; did you mean 'mask'?
