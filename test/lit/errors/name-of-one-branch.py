# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    if n > 3:
        x = 2.0
    tl.store(p, x)
# CHECK: name-of-one-branch.py:[[#@LINE-1]]:17: error: 'x' is not defined
# CHECK: note: 'x' is assigned only inside a branch or loop: {{.*}}name-of-one-branch.py:8:9
