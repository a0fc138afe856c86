"""Step 9: C = relu(A @ B) in tiles."""

import triton
import triton.language as tl


@triton.jit
def matmul_relu(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    # step 1: the rows and columns of this tile
    m = ...
    n = ...
    # step 2: a tile of zeros in fp32
    acc = ...
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        # step 3: a tile of A (rows m, columns k) and one of B (rows k, columns n), 0 outside of the matrices
        a = ...
        b = ...
        # step 4: multiply and add
        acc = ...
    # step 5: relu, then store the tile
    ...
