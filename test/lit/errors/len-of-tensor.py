# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = len(tl.arange(0, 16))
# CHECK: len-of-tensor.py:[[#@LINE-1]]:9: error: len() takes a tuple, list, dict or string, got int32[16]
