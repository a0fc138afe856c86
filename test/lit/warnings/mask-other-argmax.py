# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *i32, i32, 64" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(p + row * n + at, mask=at < n, other=0.0)
# CHECK: mask-other-argmax.py:[[#@LINE-1]]:9: warning: the masked-off elements of this load are 0 {{.*}} give other=-float('inf') [-Wmask-other]
    tl.store(q + row, tl.argmax(x, axis=0))
