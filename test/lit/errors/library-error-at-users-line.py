# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 64" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, B: tl.constexpr):
    x = tl.load(p + tl.arange(0, B))
    tl.store(p, tl.xor_sum(x))
# CHECK: library-error-at-users-line.py:[[#@LINE-1]]:17: error: static assertion failed: tl.xor_sum takes ints
# CHECK: note: inside the standard library
