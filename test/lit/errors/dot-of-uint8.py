# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((32, 32), tl.uint8)
    c = tl.dot(a, a)
# CHECK: dot-of-uint8.py:[[#@LINE-1]]:16: error: tl.dot of ints takes int8: only int8 supported! Got uint8
