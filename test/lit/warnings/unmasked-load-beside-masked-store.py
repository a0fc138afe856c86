# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(p + at)
# CHECK: unmasked-load-beside-masked-store.py:[[#@LINE-1]]:9: warning: this load has no mask, and nothing proves that its last block ends inside the tensor; write mask=offsets < n, or run with TILEWISE_CHECKED=1 to have every access checked [-Wunmasked-access]
    tl.store(q + at, x, mask=at < n)
# CHECK: note: an access over the same range is masked here: {{.*}}unmasked-load-beside-masked-store.py:[[#@LINE-1]]:5
# CHECK-NOT: : warning:
