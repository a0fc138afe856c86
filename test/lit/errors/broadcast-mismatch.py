# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16) + tl.arange(0, 32)
# CHECK: broadcast-mismatch.py:[[#@LINE-1]]:9: error: cannot broadcast shapes [16] and [32]: dimension 0 is 16 against 32
