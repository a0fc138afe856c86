# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i, j in range(n):
# CHECK: for-over-runtime-tuple.py:[[#@LINE-1]]:9: error: a loop of the kernel language has one name as its variable; write 'for i in range(n)', and take what else changes from i inside
        pass
