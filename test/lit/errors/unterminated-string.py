# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.static_print('abc)
# CHECK: unterminated-string.py:[[#@LINE-1]]:20: error: '(' is never closed
