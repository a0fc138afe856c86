# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp16" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_max(p, 1.0)
# CHECK: atomic-max-of-half.py:[[#@LINE-1]]:19: error: tl.atomic_max does not support fp16
