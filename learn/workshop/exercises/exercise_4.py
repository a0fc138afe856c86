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
    m = ...
    n = ...
    # step 2: zeros to add to, in float32
    accumulator = ...
    for k_block in range(0, tl.cdiv(K, BLOCK_SIZE_K)):
        k = k_block * BLOCK_SIZE_K + tl.arange(0, BLOCK_SIZE_K)
        # step 3: tiles of A and B, with 0 outside
        a = ...
        b = ...
        # step 4: their product, added; input_precision="ieee" keeps all digits of float32 on a GPU, too
        accumulator = ...
    # step 5: store the tile where it is inside of C
    ...


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
