# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

last = tl.constexpr(7)

@triton.jit
def k(p, n):
    for i in range(n):
        last = i
    tl.store(p, last)
# CHECK: name-of-loop-body-and-global.py:[[#@LINE-1]]:17: error: 'last' is not defined
# CHECK: note: 'last' is assigned only inside a branch or loop: {{.*}}name-of-loop-body-and-global.py:10:9
