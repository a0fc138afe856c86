# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    if p:
# CHECK: if-on-pointer.py:[[#@LINE-1]]:8: error: 'if' cannot test pointer<fp32>
        tl.store(p, 1.0)
