# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(...):
# CHECK: parameters-left-out.py:[[#@LINE-1]]:7: error: '...' stands where parameters belong: name the parameters
    tl.store(p, 1.0)
