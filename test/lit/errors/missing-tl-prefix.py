# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = arange(0, 16)
# CHECK: missing-tl-prefix.py:[[#@LINE-1]]:9: error: 'arange' is not defined; did you mean 'tl.arange'?
