# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    x = tl.zeros((16,), tl.float32)
    for i in range(n):
        x = tl.zeros((32,), tl.float32)
# CHECK: loop-carried-shape.py:[[#@LINE-1]]:9: error: loop-carried variable 'x' has type fp32[16] before the loop but fp32[32] after an iteration; make both one type, with .to(...) if need be
