# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.slice(0, 1)
# CHECK: not-supported-yet.py:[[#@LINE-1]]:12: error: tl.slice is not supported yet
