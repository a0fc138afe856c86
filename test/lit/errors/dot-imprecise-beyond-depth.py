# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    a = tl.zeros((64, 64), tl.float8e5)
    c = tl.dot(a, a, max_num_imprecise_acc=128)
# CHECK: dot-imprecise-beyond-depth.py:[[#@LINE-1]]:9: error: max_num_imprecise_acc (128) must be <= K (64)
