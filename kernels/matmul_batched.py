"""C[i] = A[i] @ B[i] for a batch of matrices: the third axis of the grid is the batch, a stride of 0 shares one matrix among all."""

import triton
import triton.language as tl


@triton.jit
def matmul_batched(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_ab, stride_am, stride_ak,
    stride_bb, stride_bk, stride_bn,
    stride_cb, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    # Batches make tensors large: 64-bit offsets, or the product overflows beyond 2^31 elements.
    batch = tl.program_id(2).to(tl.int64)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + batch * stride_ab + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + batch * stride_bb + k[:, None] * stride_bk + n[None, :] * stride_bn
    compute: tl.constexpr = tl.float64 if a_ptr.dtype.element_ty == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute)
    for done in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < K - done), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < K - done) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=compute)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c_ptrs = c_ptr + batch * stride_cb + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))
