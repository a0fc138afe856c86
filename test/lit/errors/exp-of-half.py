# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp16" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.exp(tl.load(p))
# CHECK: exp-of-half.py:[[#@LINE-1]]:16: error: Expected dtype fp32 or fp64 for tl.exp, got fp16; write tl.exp(x.to(tl.float32))
