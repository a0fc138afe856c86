# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, *i32, i1" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, c):
    x = tl.where(c, p, q)
# CHECK: where-of-pointers.py:[[#@LINE-1]]:9: error: tl.where needs both sides of one pointer type, got pointer<fp32> and pointer<int32>
