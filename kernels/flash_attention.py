"""Attention for training: forward and backward, causal or not, grouped queries, any head size up to 256, any length, any strides.

The forward pass is attention.py with one more output: the logarithm of each row's sum of exponentials, `lse`. With it a row of weights can be computed
again from q and k, p = exp(q @ k^T * scale - lse), so the backward pass needs no stored matrix of weights either:

    dv = p^T @ do      dp = do @ v^T      ds = p * (dp - delta) with delta = sum(do * o)      dq = ds @ k * scale      dk = ds^T @ q * scale

One kernel walks the keys for a tile of queries (dq), another walks the queries for a tile of keys (dk and dv), so every result has one owner and
nothing is added by atomics. With grouped queries several heads of q share one head of k and v; the owner of a tile of keys walks all of those heads.
All tensors are batch x heads x tokens x size, the last one contiguous. Causal: query i sees keys 0 to i.
"""

import triton
import triton.language as tl


@triton.jit
def load_tile(rows_ptr, at, end, stride, HEAD: tl.constexpr, BLOCK_D: tl.constexpr):
    """Rows `at` of one head, 0 past the last row and past HEAD: padding that adds nothing to any dot."""
    d = tl.arange(0, BLOCK_D)
    inside = (at[:, None] < end) & (d[None, :] < HEAD)
    return tl.load(rows_ptr + at[:, None].to(tl.int64) * stride + d[None, :], mask=inside, other=0.0)


@triton.jit
def store_tile(rows_ptr, at, end, stride, values, HEAD: tl.constexpr, BLOCK_D: tl.constexpr):
    d = tl.arange(0, BLOCK_D)
    inside = (at[:, None] < end) & (d[None, :] < HEAD)
    tl.store(rows_ptr + at[:, None].to(tl.int64) * stride + d[None, :], values.to(rows_ptr.dtype.element_ty), mask=inside)


@triton.jit
def flash_attention(
    q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr,
    heads, group, queries, keys, scale,
    q_batch, q_head, q_token, k_batch, k_head, k_token, v_batch, v_head, v_token, out_batch, out_head, out_token,
    HEAD: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """Grid: tiles of queries, batch * heads. `group` is how many heads of q share one of k and v."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    k_rows = k_ptr + batch * k_batch + head // group * k_head
    v_rows = v_ptr + batch * v_batch + head // group * v_head
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    compute: tl.constexpr = tl.float64 if q_ptr.dtype.element_ty == tl.float64 else tl.float32
    q = load_tile(q_ptr + batch * q_batch + head * q_head, m, queries, q_token, HEAD, BLOCK_D)

    highest = tl.full((BLOCK_M,), -float("inf"), dtype=compute)
    total = tl.zeros((BLOCK_M,), dtype=compute)
    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=compute)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for first in range(0, end, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        k = load_tile(k_rows, n, keys, k_token, HEAD, BLOCK_D)
        v = load_tile(v_rows, n, keys, v_token, HEAD, BLOCK_D)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=compute) * scale
        seen = n[None, :] < keys
        if CAUSAL:
            seen = seen & (n[None, :] <= m[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        now = tl.maximum(highest, tl.max(scores, axis=1))
        weights = tl.exp(scores - now[:, None])
        correction = tl.exp(highest - now)
        total = total * correction + tl.sum(weights, axis=1)
        acc = tl.dot(weights.to(v.dtype), v, acc * correction[:, None], input_precision="ieee", out_dtype=compute)
        highest = now
    store_tile(out_ptr + batch * out_batch + head * out_head, m, queries, out_token, acc / total[:, None], HEAD, BLOCK_D)
    tl.store(lse_ptr + tl.program_id(1).to(tl.int64) * queries + m, highest + tl.log(total), mask=m < queries)


@triton.jit
def flash_attention_delta(
    out_ptr, dout_ptr, delta_ptr, heads, queries,
    out_batch, out_head, out_token, dout_batch, dout_head, dout_token,
    HEAD: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr,
):
    """delta = sum(dout * out) of each row, once, for both kernels below."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    out = load_tile(out_ptr + batch * out_batch + head * out_head, m, queries, out_token, HEAD, BLOCK_D)
    dout = load_tile(dout_ptr + batch * dout_batch + head * dout_head, m, queries, dout_token, HEAD, BLOCK_D)
    compute: tl.constexpr = delta_ptr.dtype.element_ty
    delta = tl.sum(out.to(compute) * dout.to(compute), axis=1)
    tl.store(delta_ptr + tl.program_id(1).to(tl.int64) * queries + m, delta, mask=m < queries)


@triton.jit
def weights_again(q, k, m, n, lse, queries, keys, scale, CAUSAL: tl.constexpr):
    """A tile of softmax weights from q, k and the forward pass's lse; 0 where nothing is seen."""
    seen = (m[:, None] < queries) & (n[None, :] < keys)
    if CAUSAL:
        seen = seen & (n[None, :] <= m[:, None])
    scores = tl.dot(q, tl.trans(k), input_precision="ieee", out_dtype=lse.dtype) * scale
    return tl.where(seen, tl.exp(scores - lse[:, None]), 0.0)


@triton.jit
def flash_attention_backward_queries(
    q_ptr, k_ptr, v_ptr, dout_ptr, dq_ptr, lse_ptr, delta_ptr,
    heads, group, queries, keys, scale,
    q_batch, q_head, q_token, k_batch, k_head, k_token, v_batch, v_head, v_token,
    dout_batch, dout_head, dout_token, dq_batch, dq_head, dq_token,
    HEAD: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dq of a tile of queries: a walk over the keys. Grid: tiles of queries, batch * heads."""
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    k_rows = k_ptr + batch * k_batch + head // group * k_head
    v_rows = v_ptr + batch * v_batch + head // group * v_head
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    q = load_tile(q_ptr + batch * q_batch + head * q_head, m, queries, q_token, HEAD, BLOCK_D)
    dout = load_tile(dout_ptr + batch * dout_batch + head * dout_head, m, queries, dout_token, HEAD, BLOCK_D)
    row = tl.program_id(1).to(tl.int64) * queries + m
    lse = tl.load(lse_ptr + row, mask=m < queries, other=0.0)
    delta = tl.load(delta_ptr + row, mask=m < queries, other=0.0)
    acc = tl.zeros((BLOCK_M, BLOCK_D), dtype=lse.dtype)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (tl.program_id(0) + 1) * BLOCK_M)
    for first in range(0, end, BLOCK_N):
        n = first + tl.arange(0, BLOCK_N)
        k = load_tile(k_rows, n, keys, k_token, HEAD, BLOCK_D)
        v = load_tile(v_rows, n, keys, v_token, HEAD, BLOCK_D)
        p = weights_again(q, k, m, n, lse, queries, keys, scale, CAUSAL)
        dp = tl.dot(dout, tl.trans(v), input_precision="ieee", out_dtype=lse.dtype)
        ds = p * (dp - delta[:, None])
        acc = tl.dot(ds.to(k.dtype), k, acc, input_precision="ieee", out_dtype=lse.dtype)
    store_tile(dq_ptr + batch * dq_batch + head * dq_head, m, queries, dq_token, acc * scale, HEAD, BLOCK_D)


@triton.jit
def flash_attention_backward_keys(
    q_ptr, k_ptr, v_ptr, dout_ptr, dk_ptr, dv_ptr, lse_ptr, delta_ptr,
    heads, group, queries, keys, scale,
    q_batch, q_head, q_token, k_batch, k_head, k_token, v_batch, v_head, v_token,
    dout_batch, dout_head, dout_token, dk_batch, dk_head, dk_token, dv_batch, dv_head, dv_token,
    HEAD: tl.constexpr, BLOCK_D: tl.constexpr, CAUSAL: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    """dk and dv of a tile of keys: a walk over the queries of all heads that share it. Grid: tiles of keys, batch * (heads / group)."""
    shared_heads = heads // group
    batch = (tl.program_id(1) // shared_heads).to(tl.int64)
    shared = (tl.program_id(1) % shared_heads).to(tl.int64)
    n = tl.program_id(0) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = load_tile(k_ptr + batch * k_batch + shared * k_head, n, keys, k_token, HEAD, BLOCK_D)
    v = load_tile(v_ptr + batch * v_batch + shared * v_head, n, keys, v_token, HEAD, BLOCK_D)
    compute: tl.constexpr = lse_ptr.dtype.element_ty
    dk = tl.zeros((BLOCK_N, BLOCK_D), dtype=compute)
    dv = tl.zeros((BLOCK_N, BLOCK_D), dtype=compute)
    start = 0
    if CAUSAL:
        # Queries before this tile of keys see nothing of it.
        start = tl.program_id(0) * BLOCK_N // BLOCK_M * BLOCK_M
    for member in range(0, group):
        head = shared * group + member
        q_rows = q_ptr + batch * q_batch + head * q_head
        dout_rows = dout_ptr + batch * dout_batch + head * dout_head
        for first in range(start, queries, BLOCK_M):
            m = first + tl.arange(0, BLOCK_M)
            q = load_tile(q_rows, m, queries, q_token, HEAD, BLOCK_D)
            dout = load_tile(dout_rows, m, queries, dout_token, HEAD, BLOCK_D)
            row = (batch * heads + head) * queries + m
            lse = tl.load(lse_ptr + row, mask=m < queries, other=0.0)
            delta = tl.load(delta_ptr + row, mask=m < queries, other=0.0)
            p = weights_again(q, k, m, n, lse, queries, keys, scale, CAUSAL)
            dv = tl.dot(tl.trans(p.to(dout.dtype)), dout, dv, input_precision="ieee", out_dtype=compute)
            dp = tl.dot(dout, tl.trans(v), input_precision="ieee", out_dtype=compute)
            ds = p * (dp - delta[:, None])
            dk = tl.dot(tl.trans(ds.to(q.dtype)), q, dk, input_precision="ieee", out_dtype=compute)
    store_tile(dk_ptr + batch * dk_batch + shared * dk_head, n, keys, dk_token, dk * scale, HEAD, BLOCK_D)
    store_tile(dv_ptr + batch * dv_batch + shared * dv_head, n, keys, dv_token, dv, HEAD, BLOCK_D)
