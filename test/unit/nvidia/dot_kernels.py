"""Dots in loops of many forms, for the thread simulator: what is copied ahead, what is staged, what is an iteration behind."""

import triton
import triton.language as tl


@triton.jit
def persistent(a, b, c, tiles, K, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    for t in range(tl.program_id(0), tiles, tl.num_programs(0)):
        acc = tl.zeros((N, N), tl.float32)
        for k in range(K):
            acc += tl.dot(tl.load(a + (t * K + k) * N * N + at), tl.load(b + (t * K + k) * N * N + at))
        tl.store(c + t * N * N + at, acc)


@triton.jit
def hinted(a, b, c, steps, N: tl.constexpr):
    """Nothing but the hints, given as statements, tells that what the loop carries is aligned."""
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    x, y = a + at, b + at
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        tl.multiple_of(x, [16, 16])
        tl.multiple_of(y, [16, 16])
        acc += tl.dot(tl.load(x), tl.load(y))
        x += N * N
        y += N * N
    tl.store(c + at, acc)


@triton.jit
def inside_if(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        x = tl.load(a + i * N * N + at)
        y = tl.load(b + i * N * N + at)
        if i % 2 == 0:
            acc += tl.dot(x, y)
        else:
            acc -= tl.dot(y, x)
    tl.store(c + at, acc)


@triton.jit
def used_elsewhere(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    s = tl.zeros((N,), tl.float32)
    for i in range(steps):
        x = tl.load(a + i * N * N + at)
        y = tl.load(b + i * N * N + at)
        acc = tl.dot(x, y, acc)
        s += tl.sum(x.to(tl.float32), 1)
    tl.store(c + at, acc * s[:, None])


@triton.jit
def indirect(a, idx, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        j = tl.load(idx + i)
        x = tl.load(a + j * N * N + at)
        acc = tl.dot(x, tl.trans(x), acc)
    tl.store(c + at, acc)


@triton.jit
def pointer_after(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    p = a + at
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc = tl.dot(tl.load(p), tl.load(b + at), acc)
        p += N * N
    acc += tl.load(p).to(tl.float32)
    tl.store(c + at, acc)


@triton.jit
def while_loop(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    i = 0
    while i < steps:
        acc = tl.dot(tl.load(a + i * N * N + at), tl.load(b + at), acc)
        i += 1
    tl.store(c + at, acc)


@triton.jit
def backward(q, k, v, do, dk, dv, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    kb = tl.load(k + at)
    vb = tl.load(v + at)
    dkb = tl.zeros((N, N), tl.float32)
    dvb = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        qb = tl.load(q + i * N * N + at)
        dob = tl.load(do + i * N * N + at)
        pT = tl.exp2(tl.dot(kb, tl.trans(qb)))
        dvb += tl.dot(pT.to(tl.float16), dob)
        dpT = tl.dot(vb, tl.trans(dob))
        dsT = (pT * dpT).to(tl.float16)
        dkb += tl.dot(dsT, qb)
    tl.store(dk + at, dkb)
    tl.store(dv + at, dvb)


@triton.jit
def no_loop(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    x = tl.load(a + at)
    y = tl.dot(x, tl.load(b + at))
    y = tl.dot(y.to(tl.float16), tl.trans(x))
    tl.store(c + at, y)


@triton.jit
def staged_in_loop(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        x = tl.load(a + i * N * N + at)
        y = tl.load(b + i * N * N + at) * 2
        acc = tl.dot(x, y, acc)
    tl.store(c + at, acc)


@triton.jit
def one_stage_then_five(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in tl.range(0, steps, num_stages=1):
        acc = tl.dot(tl.load(a + i * N * N + at), tl.load(b + at), acc)
    for i in tl.range(0, steps, num_stages=5):
        acc = tl.dot(tl.load(a + at), tl.load(b + i * N * N + at), acc)
    tl.store(c + at, acc)


@triton.jit
def swapped(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    x = tl.load(a + at)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        y = tl.load(b + i * N * N + at)
        acc = tl.dot(x, y, acc)
        x = y
    tl.store(c + at, acc)


@triton.jit
def sixteen(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float16)
    for i in range(steps):
        acc = tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at), acc, out_dtype=tl.float16)
    tl.store(c + at, acc)


@triton.jit
def chain_staged(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    x = tl.load(a + at)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        y = tl.load(b + i * N * N + at)
        s = tl.dot(x, y)
        z = tl.load(a + i * N * N + at) * 2
        acc = tl.dot(s.to(tl.float16), z, acc)
    tl.store(c + at, acc)


@triton.jit
def walks(a, b, c, steps, A_ALONG_K: tl.constexpr, B_ALONG_K: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    m, n, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    at_a = m[:, None] * K + k[None, :] if A_ALONG_K else k[None, :] * M + m[:, None]
    at_b = n[None, :] * K + k[:, None] if B_ALONG_K else k[:, None] * N + n[None, :]
    acc = tl.zeros((M, N), tl.float32)
    for i in range(steps):
        acc = tl.dot(tl.load(a + i * M * K + at_a), tl.load(b + i * K * N + at_b), acc)
    tl.store(c + m[:, None] * N + n[None, :], acc)


@triton.jit
def pointers_of_the_counter(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    x, y = a + at, b + at
    for i in range(steps):
        acc = tl.dot(tl.load(x), tl.load(y), acc)
        x = a + (i + 1) * N * N + at
        y = b + (i + 1) * N * N + at
    tl.store(c + at, acc)


@triton.jit
def added_to_a_load(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        x = tl.load(a + i * N * N + at)
        acc += tl.dot(x, tl.load(b + i * N * N + at)) + tl.load(a + i * N * N + at).to(tl.float32)
    tl.store(c + at, acc)


@triton.jit
def added_to_loaded_sums(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc += tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at)) + tl.load(c + at)
    tl.store(c + at, acc)


@triton.jit
def copies_in_both_loops(a, b, c, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        s = tl.zeros((N, N), tl.float32)
        for j in range(2):
            s += tl.dot(tl.load(a + j * N * N + at), tl.load(b + (i + j) * N * N + at))
        acc += tl.dot((s * 0.125).to(tl.float16), tl.load(b + i * N * N + at))
    tl.store(c + at, acc)


@triton.jit
def stores_in_a_chain(a, b, c, weights, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    left = tl.load(a + at)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        y = tl.load(b + i * N * N + at)
        s = tl.dot(left, tl.trans(y))
        tl.store(weights + i * N * N + at, s)
        acc = tl.dot(s.to(tl.float16), y, acc)
    tl.store(c + at, acc)


@triton.jit
def branches_in_a_chain(a, b, c, weights, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    left = tl.load(a + at)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        y = tl.load(b + i * N * N + at)
        s = tl.dot(left, tl.trans(y))
        if i % 2 == 0:
            s *= tl.load(weights + i * N * N + at)
            tl.store(weights + i * N * N + at, s)
        acc = tl.dot(s.to(tl.float16), y, acc)
    tl.store(c + at, acc)


@triton.jit
def bytes_walk(a, b, out, steps, ALONG_A: tl.constexpr, ALONG_B: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """8-bit floats, either operand along k or across it."""
    n = tl.arange(0, N)
    k = tl.arange(0, K)
    acc = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        at = step * N * K
        left = tl.load(a + at + (n[:, None] * K + k[None, :] if ALONG_A else k[None, :] * N + n[:, None]))
        right = tl.load(b + at + (n[None, :] * K + k[:, None] if ALONG_B else k[:, None] * N + n[None, :]))
        acc = tl.dot(left, right, acc)
    tl.store(out + n[:, None] * N + n[None, :], acc)


@triton.jit
def in_parts(a, b, c, steps, PRECISION: tl.constexpr, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc += tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at), input_precision=PRECISION)
    tl.store(c + at, acc)
