# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.broadcast_to(tl.zeros((16, 16), tl.float32), (16,))
# CHECK: broadcast-to-rank.py:[[#@LINE-1]]:9: error: cannot broadcast fp32[16, 16] to [16]: the ranks differ; insert dimensions with x[:, None]
