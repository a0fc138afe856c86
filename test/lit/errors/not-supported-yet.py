# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.sort(tl.arange(0, 16))
# CHECK: not-supported-yet.py:[[#@LINE-1]]:12: error: tl.sort is not supported yet
