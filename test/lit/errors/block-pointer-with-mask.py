# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    b = tl.make_block_ptr(p, (16,), (1,), (0,), (8,), (0,))
    x = tl.load(b, mask=tl.arange(0, 8) < 4)
# CHECK: block-pointer-with-mask.py:[[#@LINE-1]]:9: error: `mask` and `other` arguments cannot be specified for loading block pointers
