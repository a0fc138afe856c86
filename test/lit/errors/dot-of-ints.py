# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.int32)
    c = tl.dot(a, a)
# CHECK: dot-of-ints.py:[[#@LINE-1]]:16: error: tl.dot takes int8, fp8, fp16, bf16, fp32 or fp64: Unsupported lhs dtype int32
