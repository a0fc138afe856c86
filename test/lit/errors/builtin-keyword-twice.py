# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, pointer=p)
# CHECK: builtin-keyword-twice.py:[[#@LINE-1]]:28: error: tl.load got 'pointer' twice
