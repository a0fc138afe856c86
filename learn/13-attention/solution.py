"""Step 13, an answer."""

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
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        scores = tl.where(n[None, :] < keys, scores, -float("inf"))
        now = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - now[:, None])
        correction = tl.exp(highest - now)
        total = total * correction + tl.sum(weights, axis=1)
        acc = tl.dot(weights, v, acc * correction[:, None], input_precision="ieee")
        highest = now
    tl.store(out_ptr + m[:, None] * HEAD + d[None, :], acc / total[:, None], mask=m[:, None] < queries)
