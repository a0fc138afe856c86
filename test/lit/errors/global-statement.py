# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    global x
# CHECK: global-statement.py:[[#@LINE-1]]:5: error: 'global' and 'nonlocal' are not part of the kernel language; pass the value as an argument
