# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    acc = tl.zeros([16], tl.int32)
    for i in range(n):
        acc += tl.load(p + tl.arange(0, 16))
# CHECK: loop-carried-block-of-ints.py:[[#@LINE-1]]:9: error: loop-carried variable 'acc' has type int32[16] before the loop but fp32[16] after an iteration; start it as a block of floats, with tl.float32
