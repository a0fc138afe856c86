"""Loops whose copies are asked for by warps of their own."""

import triton
import triton.language as tl


@triton.jit
def product(a, b, c, begin, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, B_ALONG_K: tl.constexpr):
    """One loop, one dot. K is a multiple of nothing."""
    m, n, k = tl.arange(0, BLOCK_M), tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in tl.range(begin, K, BLOCK_K, warp_specialize=True):
        at = first + k
        x = tl.load(a + m[:, None] * K + at[None, :], mask=at[None, :] < K, other=0.0)
        if B_ALONG_K:
            y = tl.load(b + n[None, :] * K + at[:, None], mask=at[:, None] < K, other=0.0)
        else:
            y = tl.load(b + at[:, None] * BLOCK_N + n[None, :], mask=at[:, None] < K, other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * BLOCK_N + n[None, :], acc)


@triton.jit
def persistent(a, b, c, M, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """Each program does every other tile of rows; what it copies runs ahead from one tile into the next."""
    r, k = tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BLOCK), tl.num_programs(0), flatten=True, warp_specialize=True):
        m = tile * BLOCK + r
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in range(0, K, DEPTH):
            at = first + k
            x = tl.load(a + m[:, None] * K + at[None, :], mask=(m[:, None] < M) & (at[None, :] < K), other=0.0)
            y = tl.load(b + at[:, None] * BLOCK + r[None, :], mask=at[:, None] < K, other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + m[:, None] * BLOCK + r[None, :], acc, mask=m[:, None] < M)


@triton.jit
def two_products(a, b, c, K, L, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """Two loops with rings of different kinds, in a loop."""
    r, k, l = tl.arange(0, BLOCK), tl.arange(0, DEPTH), tl.arange(0, 2 * DEPTH)
    for tile in tl.range(0, 3, warp_specialize=True):
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in range(0, K, DEPTH):
            x = tl.load(a + r[:, None] * K + (first + k)[None, :], mask=(first + k)[None, :] < K, other=0.0)
            y = tl.load(b + (first + k)[:, None] * BLOCK + r[None, :], mask=(first + k)[:, None] < K, other=0.0)
            acc = tl.dot(x, y, acc)
        for first in range(0, L, 2 * DEPTH):
            x = tl.load(a + r[:, None] * K + (first + l)[None, :], mask=(first + l)[None, :] < L, other=0.0)
            y = tl.load(b + (first + l)[:, None] * BLOCK + r[None, :], mask=(first + l)[:, None] < L, other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + tile * BLOCK * BLOCK + r[:, None] * BLOCK + r[None, :], acc)


@triton.jit
def gathered_tiles(a, b, c, which, tiles, K, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """A list in memory tells which rows a tile has."""
    r, k = tl.arange(0, BLOCK), tl.arange(0, DEPTH)
    for tile in tl.range(0, tiles, warp_specialize=True):
        row = tl.load(which + tile)
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in range(0, K, DEPTH):
            m = row * BLOCK + r
            x = tl.load(a + m[:, None] * K + (first + k)[None, :], mask=(m[:, None] < tiles * BLOCK) & ((first + k)[None, :] < K), other=0.0)
            y = tl.load(b + (first + k)[:, None] * BLOCK + r[None, :], mask=(first + k)[:, None] < K, other=0.0)
            acc = tl.dot(x, y, acc)
        tl.store(c + tile * BLOCK * BLOCK + r[:, None] * BLOCK + r[None, :], acc)


@triton.jit
def walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, begin, end, stride, BLOCK_N: tl.constexpr, MASKED: tl.constexpr):
    n = tl.arange(0, BLOCK_N)
    for first in tl.range(begin, end, BLOCK_N, warp_specialize=True):
        first = tl.multiple_of(first, BLOCK_N)
        scores = tl.dot(q, tl.trans(tl.load(k_ptrs + first * stride)))
        if MASKED:
            scores += tl.where(m[:, None] >= (first + n)[None, :], 0.0, -1.0e6)
        now = tl.maximum(highest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        correction = tl.exp2(highest - now)
        total = total * correction + tl.sum(weights, 1)
        v = tl.load(v_ptrs + first * stride)
        acc = tl.dot(weights.to(v.dtype), v, acc * correction[:, None])
        highest = now
    return acc, total, highest


@triton.jit
def attention(q_ptr, k_ptr, v_ptr, out_ptr, tokens, stride, HEAD: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, CAUSAL: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n, d = tl.arange(0, BLOCK_N), tl.arange(0, HEAD)
    q = tl.load(q_ptr + m[:, None] * stride + d[None, :])
    k_ptrs = k_ptr + n[:, None] * stride + d[None, :]
    v_ptrs = v_ptr + n[:, None] * stride + d[None, :]
    highest = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    total, acc = tl.zeros((BLOCK_M,), dtype=tl.float32), tl.zeros((BLOCK_M, HEAD), dtype=tl.float32)
    if CAUSAL:
        diagonal = tl.program_id(0) * BLOCK_M
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, 0, diagonal, stride, BLOCK_N, False)
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, diagonal, diagonal + BLOCK_M, stride, BLOCK_N, True)
    else:
        acc, total, highest = walk_keys(acc, total, highest, q, k_ptrs, v_ptrs, m, 0, tokens, stride, BLOCK_N, False)
    tl.store(out_ptr + m[:, None] * stride + d[None, :], (acc / total[:, None]).to(q.dtype))


@triton.jit
def waits_first(a, b, c, flag, K, BLOCK: tl.constexpr):
    """Others may still write what the loop reads: its copies must not run ahead of the wait."""
    r = tl.arange(0, BLOCK)
    while tl.load(flag, volatile=True) != 1:
        pass
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in tl.range(0, K, BLOCK, warp_specialize=True):
        x = tl.load(a + r[:, None] * K + (first + r)[None, :])
        y = tl.load(b + (first + r)[:, None] * BLOCK + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * BLOCK + r[None, :], acc)
