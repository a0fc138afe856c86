# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = y = 3
# CHECK: chained-assignment.py:[[#@LINE-1]]:9: error: 'a = b = value' is not part of the kernel language; write two assignments
