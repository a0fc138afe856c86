# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, other=0.0)
# CHECK: load-other-without-mask.py:[[#@LINE-1]]:26: error: tl.load has 'other' without 'mask'; without a mask every lane is loaded
