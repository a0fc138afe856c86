# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    values = []
    for i in range(n):
        values.append(tl.load(p + i))
# CHECK: list-grows-in-loop.py:[[#@LINE-1]]:9: error: a list made before a runtime loop or branch cannot change inside it
# CHECK-SAME: unroll the loop with tl.static_range
# CHECK-NOT: error:
    tl.store(p, values[0])
