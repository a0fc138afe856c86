"""How tutorials spell their accesses: the patterns that access inference must see through, one kernel each."""

import triton
import triton.language as tl


@triton.jit
def scale_and_shift(x_ptr, y_ptr, N, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < N
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x * 2 + 1, mask=mask)


@triton.jit
def grey_planes(x_ptr, out_ptr, h, w, BS_H: tl.constexpr, BS_W: tl.constexpr):
    """The planes at multiples of h * w, the first of them at 0."""
    offs_h = tl.program_id(0) * BS_H + tl.arange(0, BS_H)[:, None]
    offs_w = tl.program_id(1) * BS_W + tl.arange(0, BS_W)[None, :]
    mask = (offs_h < h) & (offs_w < w)
    offs = offs_h * w + offs_w
    r = tl.load(x_ptr + 0 * (h * w) + offs, mask=mask, other=0.0)
    g = tl.load(x_ptr + 1 * (h * w) + offs, mask=mask, other=0.0)
    b = tl.load(x_ptr + 2 * (h * w) + offs, mask=mask, other=0.0)
    tl.store(out_ptr + offs, 0.3 * r + 0.6 * g + 0.1 * b, mask=mask)


@triton.jit
def convolve_checked(
    in_ptr, out_ptr, taps_ptr, height, width, size: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr
):
    """Bounds on both sides of each index, though the lower ones always hold."""
    rows = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    columns = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    mask = (rows < height) & (columns < width)
    channel = tl.program_id(0) * height * width
    acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    for i in tl.static_range(size):
        for j in tl.static_range(size):
            y = rows + i
            x = columns + j
            valid = mask & (y >= 0) & (y < height) & (x >= 0) & (x < width)
            tap = tl.load(taps_ptr + i * size + j)
            acc += tl.load(in_ptr + channel + y * width + x, mask=valid, other=0.0) * tap
    tl.store(out_ptr + channel + rows * width + columns, acc, mask=mask)


@triton.jit
def matmul_recomputed(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Addresses and masks spelled anew in every iteration."""
    offs_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    offs_k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k_start in range(0, K, BLOCK_K):
        a_ptrs = a_ptr + offs_m[:, None] * stride_am + (k_start + offs_k[None, :]) * stride_ak
        a = tl.load(a_ptrs, mask=(offs_m[:, None] < M) & ((k_start + offs_k[None, :]) < K))
        b_ptrs = b_ptr + (k_start + offs_k[:, None]) * stride_bk + offs_n[None, :] * stride_bn
        b = tl.load(b_ptrs, mask=((k_start + offs_k[:, None]) < K) & (offs_n[None, :] < N))
        acc += tl.dot(a, b)
    c_ptrs = c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(offs_m[:, None] < M) & (offs_n[None, :] < N))


@triton.jit
def matmul_counting_down(
    A, B, C, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Carried pointers without masks, and a loop from K down to 0."""
    rm = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    rn = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    rk = tl.arange(0, BLOCK_K)
    A = A + (rm[:, None] * stride_am + rk[None, :] * stride_ak)
    B = B + (rk[:, None] * stride_bk + rn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(K, 0, -BLOCK_K):
        a = tl.load(A)
        b = tl.load(B)
        acc += tl.dot(a, b)
        A += BLOCK_K * stride_ak
        B += BLOCK_K * stride_bk
    C = C + (rm[:, None] * stride_cm + rn[None, :] * stride_cn)
    tl.store(C, acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def matmul_wrapped(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP_M: tl.constexpr,
):
    """Tiles in groups, rows and columns that wrap around, and promises about them."""
    pid = tl.program_id(axis=0)
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    in_group = GROUP_M * tiles_n
    first_m = pid // in_group * GROUP_M
    group_m = min(tiles_m - first_m, GROUP_M)
    pid_m = first_m + (pid % in_group) % group_m
    pid_n = (pid % in_group) // group_m
    tl.assume(pid_m >= 0)
    tl.assume(stride_am > 0)
    offs_am = tl.max_contiguous(tl.multiple_of((pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M, BLOCK_M), BLOCK_M)
    offs_bn = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    offs_k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + (offs_am[:, None] * stride_am + offs_k[None, :] * stride_ak)
    b_ptrs = b_ptr + (offs_k[:, None] * stride_bk + offs_bn[None, :] * stride_bn)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BLOCK_K), num_stages=3):
        a = tl.load(a_ptrs, mask=offs_k[None, :] < K - k * BLOCK_K, other=0.0)
        b = tl.load(b_ptrs, mask=offs_k[:, None] < K - k * BLOCK_K, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    c = tl.where(acc >= 0, acc, 0.01 * acc).to(tl.float16)
    offs_cm = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    offs_cn = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    c_ptrs = c_ptr + stride_cm * offs_cm[:, None] + stride_cn * offs_cn[None, :]
    tl.store(c_ptrs, c, mask=(offs_cm[:, None] < M) & (offs_cn[None, :] < N))


@triton.jit
def softmax_rows(out_ptr, in_ptr, in_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    """Each program takes every num_programs-th row."""
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
        at = tl.arange(0, BLOCK)
        ptrs = in_ptr + row * in_stride + at
        mask = at < columns
        x = tl.load(ptrs, mask=mask, other=-float("inf"))
        x = tl.exp(x - tl.max(x, axis=0))
        tl.store(out_ptr + row * out_stride + at, x / tl.sum(x, axis=0), mask=mask)


@triton.jit
def layer_norm_passes(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    """Three passes over a row of any length, in pieces."""
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    sums = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        sums += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / N
    squares = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def wide_offsets(x_ptr, y_ptr, n, stride, BLOCK: tl.constexpr):
    """64-bit offsets, and a three-dimensional block that is reshaped and permuted on its way."""
    at = tl.program_id(0).to(tl.int64) * BLOCK * BLOCK * 4 + tl.arange(0, 4 * BLOCK * BLOCK).to(tl.int64)
    cube = tl.reshape(at, (4, BLOCK, BLOCK))
    x = tl.load(x_ptr + cube, mask=cube[:, :, :] < n * 1)
    z = tl.arange(0, 4)[:, None, None] * stride + tl.arange(0, BLOCK)[None, :, None] * BLOCK
    z = tl.permute(z + tl.arange(0, BLOCK)[None, None, :], (0, 2, 1))
    tl.store(y_ptr + z, tl.permute(x, (0, 2, 1)))


@triton.jit
def gather_rows(table_ptr, index_ptr, out_ptr, n, columns, BLOCK: tl.constexpr):
    """Rows by loaded numbers: a block of them is no box, and is said to be none."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index_ptr + at, mask=at < n, other=0)
    column = tl.arange(0, BLOCK)
    inside = (at[:, None] < n) & (column[None, :] < columns)
    x = tl.load(table_ptr + row[:, None] * columns + column[None, :], mask=inside)
    tl.store(out_ptr + at[:, None] * columns + column[None, :], x, mask=inside)
