# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = 1
    del x
# CHECK: del-statement.py:[[#@LINE-1]]:5: error: 'del' is not part of the kernel language
