# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    for i in tl.static_range(0, 100000000):
# CHECK: unroll-without-end.py:[[#@LINE-1]]:5: error: compiling this kernel takes too many steps
        tl.store(p, i)
