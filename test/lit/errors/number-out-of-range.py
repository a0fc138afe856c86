# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p) + 0xFFFFFFFFFFFFFF
# CHECK: number-out-of-range.py:[[#@LINE-1]]:22: error: the number 72057594037927935 is out of range for int32
