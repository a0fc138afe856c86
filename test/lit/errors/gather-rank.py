# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.gather(tl.zeros((16, 16), tl.float32), tl.arange(0, 16), 0)
# CHECK: gather-rank.py:[[#@LINE-1]]:9: error: tl.gather needs a block and int indices of its rank, got fp32[16, 16] and int32[16]
