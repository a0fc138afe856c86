# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.load(p + tl.arange(0, 16))
    for value in x:
# CHECK: for-over-block.py:[[#@LINE-1]]:18: error: 'for' does not run over the elements of fp32[16]; an operation takes all of them at once, and tl.sum, tl.max or tl.reduce make one of them
# CHECK: note: 'x' is fp32[16], assigned here
        tl.store(p, value)
