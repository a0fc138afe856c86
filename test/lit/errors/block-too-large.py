# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.zeros((2048, 1024), tl.float32)
# CHECK: block-too-large.py:[[#@LINE-1]]:9: error: a block has at most 1048576 elements, got shape [2048, 1024]
