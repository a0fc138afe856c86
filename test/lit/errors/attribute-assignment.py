# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    p.x = 3
# CHECK: attribute-assignment.py:[[#@LINE-1]]:5: error: assignment to an attribute is not part of the kernel language; of an aggregate, make a new one
