# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, BLOCK: tl.constexpr):
# CHECK: constexpr-parameter-type.py:[[#@LINE-1]]:10: error: the parameter 'BLOCK' is tl.constexpr: give its value, as 1024, not the type 'i32'
    tl.store(p, BLOCK)
