# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_add(p, 1, sem="seq_cst")
# CHECK: atomic-unknown-order.py:[[#@LINE-1]]:5: error: an atomic's sem is 'acquire', 'release', 'acq_rel' or 'relaxed', got 'seq_cst'
