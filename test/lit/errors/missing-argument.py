# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.store(p)
# CHECK: missing-argument.py:[[#@LINE-1]]:5: error: tl.store is missing its argument 'value'; write tl.store(pointer, value, mask=None, boundary_check=None, cache_modifier='', eviction_policy='')
