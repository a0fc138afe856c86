# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    if n > 3
# CHECK: missing-colon.py:[[#@LINE-1]]:13: error: ':' is missing at the end of this line with 'if'
        tl.store(p, 1.0)
