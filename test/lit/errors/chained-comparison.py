# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = 0 < n < 5
# CHECK: chained-comparison.py:[[#@LINE-1]]:15: error: chained comparisons are not part of the kernel language; write (a < b) & (b < c)
