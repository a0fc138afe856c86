# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    d = tl.make_tensor_descriptor(p, [16, 16], [16, 1], [1, 8])
    x = d.gather(tl.arange(0, 4), 0)
# CHECK: descriptor-gather-rows.py:[[#@LINE-1]]:9: error: descriptor gather must have at least 8 rows, but got [4]
