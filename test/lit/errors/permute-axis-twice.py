# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.permute(tl.zeros((16, 32), tl.float32), (0, 0))
# CHECK: permute-axis-twice.py:[[#@LINE-1]]:9: error: a permutation of fp32[16, 32] names each of its 2 dimensions once, got [0, 0]
