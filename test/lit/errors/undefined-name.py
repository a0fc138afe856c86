# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 64" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOK)
# CHECK: undefined-name.py:[[#@LINE-1]]:22: error: 'BLOK' is not defined; did you mean 'BLOCK'?
