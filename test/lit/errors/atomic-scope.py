# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_add(p, 1, scope='thread')
# CHECK: atomic-scope.py:[[#@LINE-1]]:5: error: an atomic's scope is 'gpu', 'cta' or 'sys', got 'thread'
