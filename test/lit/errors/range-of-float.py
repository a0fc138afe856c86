# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    for i in range(1.5):
# CHECK: range-of-float.py:[[#@LINE-1]]:20: error: a loop's bounds are scalar ints, got float; write it with .to(tl.int32)
        pass
