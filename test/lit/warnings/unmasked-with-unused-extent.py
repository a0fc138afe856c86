# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(q + at, tl.load(p + at))
# CHECK: unmasked-with-unused-extent.py:[[#@LINE-1]]:22: warning: this load has no mask, {{.*}} [-Wunmasked-access]
# CHECK: note: the argument 'n' is never used; is it the extent?: {{.*}}unmasked-with-unused-extent.py:6:13
# CHECK: unmasked-with-unused-extent.py:[[#@LINE-3]]:5: warning: this store has no mask, {{.*}} [-Wunmasked-access]
