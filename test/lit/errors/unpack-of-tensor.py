# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a, b = tl.arange(0, 16)
# CHECK: unpack-of-tensor.py:[[#@LINE-1]]:5: error: cannot unpack int32[16] into 2 names
