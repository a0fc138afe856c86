"""Step 13: attention that never holds a row of scores."""

import triton
import triton.language as tl


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr, queries, keys, scale,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """q, k, v and out are tokens x HEAD."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + m[:, None] * HEAD + d[None, :], mask=m[:, None] < queries, other=0.0)
    highest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    for first in range(0, keys, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        k = tl.load(k_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < keys, other=0.0)
        v = tl.load(v_ptr + n[:, None] * HEAD + d[None, :], mask=n[:, None] < keys, other=0.0)
        # step 1: the scores of this tile (tl.trans turns k around), -inf for keys past the end
        scores = ...
        # step 2: the new maximum, the weights, and the correction of what is there
        now = ...
        weights = ...
        correction = ...
        # step 3: the new total and acc
        total = ...
        acc = ...
        highest = now
    # step 4: divide, and store the rows that exist
    ...
