# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    values = [1.0]
    if n > 3:
        values.append(tl.load(p))
# CHECK: list-grows-in-branch.py:[[#@LINE-1]]:9: error: a list made before a runtime loop or branch cannot change inside it
        inner = []
        inner.append(tl.load(p))
        tl.store(p, inner[0])
    for i in tl.static_range(2):
        values.append(tl.load(p + i))
# CHECK-NOT: error:
