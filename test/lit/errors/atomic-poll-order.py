# RUN: not %tilewise emit --stage=tile %s:k --signature "*i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    tl.atomic_poll(p, 1, sem="release")
# CHECK: atomic-poll-order.py:[[#@LINE-1]]:5: error: {{.*}}atomic_poll only supports acquire and relaxed semantics
