# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, tl.float32("1"))
# CHECK: dtype-called-with-text.py:[[#@LINE-1]]:17: error: expected a tensor or a number, got str
