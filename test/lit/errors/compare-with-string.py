# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    x = n == 'a'
# CHECK: compare-with-string.py:[[#@LINE-1]]:14: error: operator '==' cannot compare int32 with str
