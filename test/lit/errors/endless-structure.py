# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x: tl.constexpr = None
    t = (p,)
    for i in tl.static_range(64):
        t = (t, t)
# CHECK: endless-structure.py:[[#@LINE-1]]:13: error: a compile-time value has more than 1048576 parts
