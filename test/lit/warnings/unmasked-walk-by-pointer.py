# The naive matmul of the workshop: right at multiples of the block sizes, and past the end of A and B at any other size.
# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, *fp32, i32, i32, i32, i32, i32, i32, i32, i32, i32, 64, 32, 32" 2>&1 >%t | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
      BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    offs_A = A + (rm[:, None] * stride_am + rk[None, :] * stride_ak)
    offs_B = B + (rk[:, None] * stride_bk + rn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(offs_A)
# CHECK: unmasked-walk-by-pointer.py:[[#@LINE-1]]:13: warning: this load has no mask, {{.*}} [-Wunmasked-access]
        b = tl.load(offs_B)
# CHECK: unmasked-walk-by-pointer.py:[[#@LINE-1]]:13: warning: this load has no mask, {{.*}} [-Wunmasked-access]
        acc += tl.dot(a, b)
        offs_A += BLOCK_K * stride_ak
        offs_B += BLOCK_K * stride_bk
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn), acc, mask=mask)
# CHECK-NOT: : warning:
