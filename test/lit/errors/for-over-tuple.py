# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    for i in (1, 2, 3):
# CHECK: for-over-tuple.py:[[#@LINE-1]]:14: error: 'for' runs over range(...), tl.range(...) or tl.static_range(...)
        pass
