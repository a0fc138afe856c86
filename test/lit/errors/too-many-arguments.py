# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16, 2)
# CHECK: too-many-arguments.py:[[#@LINE-1]]:26: error: tl.arange takes at most 2 positional arguments; write tl.arange(start, end)
