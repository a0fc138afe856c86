"""Exercise 4: C = A @ B, a tile of C per program."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_SIZE_M: tl.constexpr, BLOCK_SIZE_N: tl.constexpr, BLOCK_SIZE_K: tl.constexpr,
):
    # step 1: rows and columns of this tile of C
    m = tl.program_id(0) * BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)
    n = tl.program_id(1) * BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)
    # step 2: zeros to add to, in float32
    accumulator = tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)
    for k_block in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        k = k_block * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
        # step 3: tiles of A and B, with 0 outside
        a = tl.load(a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        # step 4: their product, added; input_precision="ieee" keeps all digits of float32 on a GPU, too
        accumulator = tl.dot(a, b, accumulator, input_precision="ieee")
    # step 5: store the tile where it is inside of C
    tl.store(c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, accumulator, mask=(m[:, None] < M) & (n[None, :] < N))


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
