# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, i32" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n):
    m = tl.arange(0, 16)[:, None]
    k = tl.arange(0, 16)[None, :]
    x = tl.load(p + m * n + k, mask=k < n, other=1.0)
# CHECK: mask-other-dot.py:[[#@LINE-1]]:9: warning: the masked-off elements of this load are 1 where they are multiplied, which changes the result; give other=0 [-Wmask-other]
    y = tl.load(p + m * n + k, mask=k < n, other=0.0)
    tl.store(q + m * 16 + k, tl.dot(x, y))
# CHECK: note: the dot is here: {{.*}}mask-other-dot.py:[[#@LINE-1]]:30
# CHECK-NOT: : warning:
