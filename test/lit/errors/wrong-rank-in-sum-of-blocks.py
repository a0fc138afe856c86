# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 16, 32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    offs = rows * N + cols
# CHECK: wrong-rank-in-sum-of-blocks.py:[[#@LINE-1]]:12: error: cannot broadcast shapes [16] and [32]: dimension 0 is 16 against 32
