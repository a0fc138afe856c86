"""Phase 3: relu(A @ B) in tiles. The activation costs nothing: the tile is in registers."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def triton_matmul_relu_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    accumulator = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        # step 1: tiles of A and B, with 0 outside
        a = ...
        b = ...
        # step 2: add their product
        accumulator = ...
    # step 3: relu, store
    ...


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
