# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in range(n):
        break
# CHECK: break-statement.py:[[#@LINE-1]]:9: error: 'break' is not part of the kernel language
