# RUN: not %tilewise emit --stage=tile %s:k --signature "*i8" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_cas(p, 1, 2)
# CHECK: atomic-cas-of-int8.py:[[#@LINE-1]]:19: error: tl.atomic_cas: atomic_cas only supports elements with width {16, 32, 64}, got int8
