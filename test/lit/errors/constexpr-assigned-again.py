# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x: tl.constexpr = 3
    x: tl.constexpr = 4
# CHECK: constexpr-assigned-again.py:[[#@LINE-1]]:5: error: 'x' is already defined: a tl.constexpr variable is assigned once
