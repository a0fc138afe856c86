# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p, 1 << 100000)
# CHECK: int-without-bound.py:[[#@LINE-1]]:17: error: a compile-time int grew beyond 4096 bits
