# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.join(tl.arange(0, 16), tl.zeros((16,), tl.float32))
# CHECK: join-types.py:[[#@LINE-1]]:35: error: tl.join needs both sides of one dtype, got int32[16] and fp32[16]
