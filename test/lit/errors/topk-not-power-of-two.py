# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.topk(tl.arange(0, 16), 3)
# CHECK: topk-not-power-of-two.py:[[#@LINE-1]]:9: error: {{.*}}topk: k must be a power of two
