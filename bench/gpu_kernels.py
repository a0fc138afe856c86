"""Kernels of dev/bench gpu that kernels/ has in another form: a matmul with every precision and epilogue, and attention by powers of two."""

import triton
import triton.language as tl


@triton.jit
def matmul(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr, ACTIVATION: tl.constexpr, PRECISION: tl.constexpr, BESIDE: tl.constexpr = False,
):
    """Tiles in groups of rows; rows and columns past the end wrap around, since what they give is not stored. BESIDE: warps of their own copy."""
    tile = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    per_group = GROUP * tiles_n
    first_row = tile // per_group * GROUP
    rows = min(tiles_m - first_row, GROUP)
    row, column = first_row + tile % per_group % rows, tile % per_group // rows
    m = (row * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    n = (column * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in tl.range(0, tl.cdiv(K, BLOCK_K), warp_specialize=BESIDE):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if ACTIVATION == "relu":
        acc = tl.maximum(acc, 0.0)
    elif ACTIVATION == "gelu":
        inner = 0.7978845608028654 * (acc + 0.044715 * acc * acc * acc)
        acc = acc * tl.sigmoid(2 * inner)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def persistent_matmul(
    a_ptr, b_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak,
    stride_bk, stride_bn,
    stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr, BESIDE: tl.constexpr = False,
):
    """As many programs as there are multiprocessors, each of which does one tile after the other."""
    tiles_m, tiles_n = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    per_group = GROUP * tiles_n
    k = tl.arange(0, BLOCK_K)
    for tile in tl.range(tl.program_id(0), tiles_m * tiles_n, tl.num_programs(0), flatten=True, warp_specialize=BESIDE):
        first_row = tile // per_group * GROUP
        rows = min(tiles_m - first_row, GROUP)
        row, column = first_row + tile % per_group % rows, tile % per_group // rows
        m = row * BLOCK_M + tl.arange(0, BLOCK_M)
        n = column * BLOCK_N + tl.arange(0, BLOCK_N)
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for step in range(0, tl.cdiv(K, BLOCK_K)):
            at = step * BLOCK_K + k
            a = tl.load(a_ptr + m[:, None] * stride_am + at[None, :] * stride_ak, mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
            b = tl.load(b_ptr + at[:, None] * stride_bk + n[None, :] * stride_bn, mask=(at[:, None] < K) & (n[None, :] < N), other=0.0)
            acc = tl.dot(a, b, acc)
        c_ptrs = c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn
        tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, begin, end, stride, scale, BLOCK_N: tl.constexpr, MASKED: tl.constexpr,
              BESIDE: tl.constexpr):
    for first in tl.range(begin, end, BLOCK_N, warp_specialize=BESIDE):
        first = tl.multiple_of(first, BLOCK_N)
        k = tl.load(k_ptrs + first * stride)
        scores = tl.dot(q, tl.trans(k))
        if MASKED:
            seen = m[:, None] >= (first + tl.arange(0, BLOCK_N))[None, :]
            scores = scores * scale + tl.where(seen, 0.0, -1.0e6)
            now = tl.maximum(highest, tl.max(scores, 1))
            scores -= now[:, None]
        else:
            now = tl.maximum(highest, tl.max(scores, 1) * scale)
            scores = scores * scale - now[:, None]
        weights = tl.exp2(scores)
        correction = tl.exp2(highest - now)
        total = total * correction + tl.sum(weights, 1)
        acc = acc * correction[:, None]
        v = tl.load(v_ptrs + first * stride)
        acc = tl.dot(weights.to(v.dtype), v, acc)
        highest = now
    return acc, total, highest


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale, stride_head, stride_token, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              CAUSAL: tl.constexpr, BESIDE: tl.constexpr = False):
    """Tokens are a multiple of both blocks."""
    head = tl.program_id(1).to(tl.int64) * stride_head
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    d = tl.arange(0, HEAD)
    q = tl.load(q_ptr + head + m[:, None] * stride_token + d[None, :])
    k_ptrs = k_ptr + head + n[:, None] * stride_token + d[None, :]
    v_ptrs = v_ptr + head + n[:, None] * stride_token + d[None, :]
    highest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    scale *= 1.4426950408889634
    if CAUSAL:
        diagonal = tl.program_id(0) * BLOCK_M
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, 0, diagonal, stride_token, scale, BLOCK_N, False, BESIDE)
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, diagonal, diagonal + BLOCK_M, stride_token, scale, BLOCK_N, True, BESIDE)
    else:
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, 0, tokens, stride_token, scale, BLOCK_N, False, BESIDE)
    tl.store(out_ptr + head + m[:, None] * stride_token + d[None, :], (acc / total[:, None]).to(q.dtype))


@triton.jit
def sum_by_atomics(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0), sem="relaxed")


@triton.jit
def row_cumsum(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=0))


@triton.jit
def row_argmax(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    tl.store(y_ptr + row, tl.argmax(tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS)), axis=0))


@triton.jit
def row_sort(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y_ptr + at, tl.sort(tl.load(x_ptr + at)))


@triton.jit
def histogram(x_ptr, out_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + at, mask=at < n), BINS, mask=at < n)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts, sem="relaxed")
