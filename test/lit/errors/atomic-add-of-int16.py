# RUN: not %tilewise emit --stage=tile %s:k --signature "*i16" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_add(p, 1)
# CHECK: atomic-add-of-int16.py:[[#@LINE-1]]:19: error: tl.atomic_add does not support int16
