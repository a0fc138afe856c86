# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.load(p, cache_modifier='.xx')
# CHECK: load-cache-modifier.py:[[#@LINE-1]]:9: error: tl.load has no cache_modifier '.xx', expected one of '.ca', '.cg', '.cs', '.cv'
