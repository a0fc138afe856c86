# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(p + row * n + at, mask=at < n, other=0.0)
# CHECK: mask-other-variance.py:[[#@LINE-1]]:9: warning: the masked-off elements of this load are not 0 where they are reduced, which changes the result; put tl.where(mask, x, 0) around them [-Wmask-other]
    mean = tl.sum(x, axis=0) / n
    centred = x - mean
    tl.store(q + row, tl.sum(centred * centred, axis=0) / n)
# CHECK: note: the reduction is here: {{.*}}mask-other-variance.py:[[#@LINE-1]]:23
# CHECK-NOT: : warning:
