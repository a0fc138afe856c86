# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 64" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, B: tl.constexpr):
    x = tl.load(p + tl.arange(0, B))
    y = tl.dot(x, x)
# CHECK: dot-operand-rank.py:[[#@LINE-1]]:16: error: tl.dot needs both operands of rank 2, or more with batches first, got shape {{.}}64]
