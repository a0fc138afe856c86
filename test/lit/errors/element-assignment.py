# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    p[0] = 3
# CHECK: element-assignment.py:[[#@LINE-1]]:5: error: assignment to an element of pointer<fp32> is not part of the kernel language; memory is written by tl.store
