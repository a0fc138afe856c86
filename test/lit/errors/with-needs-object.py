# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    with tl.program_id(0):
# CHECK: with-needs-object.py:[[#@LINE-1]]:10: error: 'with' needs an aggregate that has __enter__ and __exit__, got int32
        pass
