# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, *fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q):
    if p < q:
# CHECK: pointer-compared.py:[[#@LINE-1]]:8: error: pointers cannot be compared; cast them with .to(tl.int64) first
        tl.store(p, 1.0)
