"""softmax(q @ k^T * scale) @ v without ever holding a row of scores: the running maximum and sum are corrected as tiles arrive."""

import triton
import triton.language as tl


@triton.jit
def attention(
    q_ptr, k_ptr, v_ptr, out_ptr,
    queries, keys, scale,
    stride_head, stride_token,
    HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr,
):
    """One head's tile of BLOCK_M queries; q, k, v and out are heads x tokens x HEAD with the given strides."""
    head = tl.program_id(1) * stride_head
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + head + m[:, None] * stride_token + d[None, :], mask=m[:, None] < queries, other=0.0)

    highest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for first in range(0, end, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        inside = n < keys
        k = tl.load(k_ptr + head + n[None, :] * stride_token + d[:, None], mask=inside[None, :], other=0.0)
        v = tl.load(v_ptr + head + n[:, None] * stride_token + d[None, :], mask=inside[:, None], other=0.0)
        scores = tl.dot(q, k, input_precision="ieee") * scale
        seen = inside[None, :]
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        now = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - now[:, None])
        correction = tl.exp(highest - now)
        total = total * correction + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * correction[:, None], input_precision="ieee")
        highest = now
    tl.store(out_ptr + head + m[:, None] * stride_token + d[None, :], acc / total[:, None], mask=m[:, None] < queries)
