# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

SCALE = 3
@triton.jit
def k(p):
    tl.store(p, SCALE)
# CHECK: global-not-constexpr.py:[[#@LINE-1]]:17: error: Cannot access global variable 'SCALE' from within a kernel: only constexpr values can be used; write SCALE = tl.constexpr(3)
