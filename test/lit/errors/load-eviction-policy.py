# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, eviction_policy='evict_never')
# CHECK: load-eviction-policy.py:[[#@LINE-1]]:9: error: tl.load has no eviction_policy 'evict_never', expected 'evict_first' or 'evict_last'
