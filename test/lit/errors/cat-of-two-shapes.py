# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    c = tl.cat(tl.arange(0, 16), tl.arange(0, 8))
# CHECK: cat-of-two-shapes.py:[[#@LINE-1]]:9: error: {{.*}}tl.cat requires tensors of the same shape, got (16,) and (8,)
