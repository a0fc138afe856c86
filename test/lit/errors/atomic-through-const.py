# RUN: not %tilewise emit --stage=tile %s:k --signature "*ki32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_add(p, 1)
# CHECK: atomic-through-const.py:[[#@LINE-1]]:19: error: Cannot store to a constant pointer: tl.atomic_add got const pointer<int32>
