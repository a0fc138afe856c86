# RUN: %tilewise emit --stage=opt %s:k --signature "*fp16, *fp16, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(p + row * n + at, mask=at < n, other=0.0).to(tl.float32)
# CHECK: mask-other-softmax.py:[[#@LINE-1]]:9: warning: the masked-off elements of this load are 0 where they are reduced, {{.*}} give other=-float('inf') [-Wmask-other]
    e = tl.exp(x - tl.max(x, axis=0))
# CHECK: note: the reduction is here: {{.*}}mask-other-softmax.py:[[#@LINE-1]]:20
    tl.store(q + row * n + at, e / tl.sum(e, axis=0), mask=at < n)
