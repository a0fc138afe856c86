# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.expand_dims(tl.arange(0, 16), (0, -3))
# CHECK: expand-axis-twice.py:[[#@LINE-1]]:42: error: duplicate axes, normalized axes = [0, 0]
