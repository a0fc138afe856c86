# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    for i in range(n):
        if i == 2:
            continue
# CHECK: continue-statement.py:[[#@LINE-1]]:13: error: 'continue' is not part of the kernel language
        tl.store(p + i, 1.0)
