# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32:64, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = 0.0
    for first in range(0, n, BLOCK):
        total += tl.sum(tl.load(p + row * n + first + tl.arange(0, BLOCK)), axis=0)
# CHECK: unmasked-walk-over-loop.py:[[#@LINE-1]]:25: warning: this load has no mask, {{.*}} [-Wunmasked-access]
# CHECK: note: this loop goes up to a runtime value that 64 is not known to divide: {{.*}}unmasked-walk-over-loop.py:10:5
    tl.store(q + row, total)
# CHECK-NOT: : warning:
