# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    values = []
    pair = (1.0,)
    for i in range(n):
        values += [tl.load(p + i)]
# CHECK: list-made-anew-in-loop.py:[[#@LINE-1]]:9: error: 'values' has no elements before the loop but 1 element after an iteration; a loop carries a fixed number of values: unroll it with tl.static_range, or store what each iteration gives
    while tl.load(p) > 0:
        pair = pair + (2.0,)
# CHECK: list-made-anew-in-loop.py:[[#@LINE-1]]:9: error: 'pair' has 1 element before the loop but 2 elements after an iteration;
