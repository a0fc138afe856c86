# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(x_ptr):
    n = x_ptr.shape[0]
# CHECK: shape-of-pointer.py:[[#@LINE-1]]:21: error: a scalar or a pointer has no dimensions; of memory, pass each extent as a parameter of its own
