# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p).to(32)
# CHECK: cast-to-number.py:[[#@LINE-1]]:9: error: the dtype of a cast must be a dtype such as tl.float32, got int
