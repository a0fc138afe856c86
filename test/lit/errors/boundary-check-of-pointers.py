# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p + tl.arange(0, 8), boundary_check=(0,))
# CHECK: boundary-check-of-pointers.py:[[#@LINE-1]]:9: error: `padding_option` or `boundary_check` argument is not supported for tl.load of a tensor of pointers
