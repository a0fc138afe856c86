# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16)[:, :, None]
# CHECK: index-rank.py:[[#@LINE-1]]:26: error: the index has 2 ':' but int32[16] has rank 1
