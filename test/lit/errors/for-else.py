# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in range(n):
        pass
    else:
        tl.store(p, 1.0)
# CHECK: for-else.py:[[#@LINE-1]]:9: error: 'else' of a loop is not part of the kernel language; write it after the loop
