# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.expand_dims(None, -1)
# CHECK: expand-none.py:[[#@LINE-1]]:9: error: expected a tensor or a number, got None
