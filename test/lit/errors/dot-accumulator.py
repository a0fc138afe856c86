# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((16, 16), tl.float32)
    c = tl.dot(a, a, acc=tl.zeros((16, 16), tl.float16))
# CHECK: dot-accumulator.py:[[#@LINE-1]]:26: error: tl.dot: expected accumulator dtype fp32, got fp16
