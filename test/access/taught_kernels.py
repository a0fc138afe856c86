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


@triton.jit
def while_pointers(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    """Pointers that a while loop moves."""
    at = tl.arange(0, BLOCK)
    ptrs = x_ptr + tl.program_id(0) * n + at
    left = n
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    while left > 0:
        acc += tl.load(ptrs, mask=at < left, other=0.0)
        ptrs += BLOCK
        left -= BLOCK
    tl.store(out_ptr + tl.program_id(0) * BLOCK + at, acc * step)


@triton.jit
def chosen_pointers(x_ptr, y_ptr, out_ptr, n, which, BLOCK: tl.constexpr):
    """Pointers and offsets that a branch chooses, of blocks and of scalars."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if which > 0:
        ptrs = x_ptr + at
        shift = tl.arange(0, BLOCK) + 1
    else:
        ptrs = y_ptr + at + 1
        shift = tl.arange(0, BLOCK) + which
    base = x_ptr if which > 1 else y_ptr
    first = tl.load(ptrs, mask=at + 1 < n, other=0.0)
    third = tl.load(tl.where(which == 1, x_ptr + at, y_ptr + at), mask=at < n, other=0.0)
    second = tl.load(base + tl.maximum(tl.program_id(0) * BLOCK, 2) + shift, mask=at + 3 < n, other=0.0)
    tl.store(out_ptr + at, first + 2 * second + 4 * third, mask=at < n)


@triton.jit
def masks_of_all_kinds(x_ptr, out_ptr, n, low, which, BLOCK: tl.constexpr):
    """Every second element, one element, not beyond, and one of two: as masks of loads."""
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + i
    even = tl.load(x_ptr + 2 * i, mask=2 * at + 1 < n, other=1.0)
    third = tl.load(x_ptr + i, mask=(3 * i >= low) & (n > 3 * i + 1), other=2.0)
    one = tl.load(x_ptr + i, mask=i == low, other=3.0)
    inside = tl.load(x_ptr + i, mask=~((i >= n) | (i < low)), other=4.0)
    chosen = tl.load(x_ptr + i, mask=(i < low) | (at > n), other=5.0)
    either = tl.load(x_ptr + i, mask=(i < low) | (n - 3 > i) | (i + 1 <= which), other=7.0)
    whole = tl.load(x_ptr + i, mask=(i < n) & (which > 0), other=6.0)
    tl.store(out_ptr + at, even + 10 * third + 100 * one + 1000 * inside + 0.1 * chosen + 0.01 * whole - 10 * either, mask=at < n)


@triton.jit
def clamped_rows(x_ptr, out_ptr, sums_ptr, rows, columns, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """Rows past the end read the first or the last one; of each row, what is stored is only its own."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.arange(0, BLOCK_N)
    inside = n[None, :] < columns
    first = tl.load(x_ptr + tl.where(m < rows, m, 0)[:, None] * columns + n[None, :], mask=inside, other=0.0)
    last = tl.load(x_ptr + tl.minimum(m, rows - 1)[:, None] * columns + n[None, :], mask=inside, other=0.0)
    wrapped = tl.load(x_ptr + (m % rows)[:, None] * columns + n[None, :], mask=inside, other=0.0)
    total = tl.sum(first * last + wrapped, axis=1)
    tl.store(sums_ptr + m, total, mask=m < rows)
    tl.store(out_ptr + m[:, None] * columns + n[None, :], first - wrapped * total[:, None], mask=(m[:, None] < rows) & inside)


@triton.jit
def demanded_wrap(x_ptr, out_ptr, total_ptr, n, BLOCK: tl.constexpr):
    """The wrapped elements are summed up and stored: they must be read as written."""
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i % n)
    tl.store(total_ptr + tl.program_id(0), tl.sum(x, axis=0))
    tl.store(out_ptr + tl.program_id(0) * BLOCK + i, x)


@triton.jit
def transposed_cube(x_ptr, out_ptr, depth, height, width, D: tl.constexpr, H: tl.constexpr, W: tl.constexpr):
    """A block of three dimensions, read as it lies and written with two of them exchanged."""
    z = tl.arange(0, D)[:, None, None]
    y = tl.program_id(0) * H + tl.arange(0, H)[None, :, None]
    x = tl.arange(0, W)[None, None, :]
    inside = (z < depth) & (y < height) & (x < width)
    block = tl.load(x_ptr + (z * height + y) * width + x, mask=inside, other=0.0)
    turned = tl.permute(block, (2, 1, 0))
    at = tl.permute((x * height + y) * depth + z, (2, 1, 0))
    tl.store(out_ptr + at, turned, mask=tl.permute(inside, (2, 1, 0)))


@triton.jit
def reshaped_offsets(x_ptr, out_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """A vector of offsets seen as a matrix, and a matrix of them seen as a vector."""
    first = tl.program_id(0) * ROWS * COLUMNS
    matrix = tl.reshape(tl.arange(0, ROWS * COLUMNS), (ROWS, COLUMNS))
    x = tl.load(x_ptr + first + matrix)
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    vector = first + tl.reshape(at, (ROWS * COLUMNS,))
    tl.store(out_ptr + vector, tl.reshape(x + 1, (ROWS * COLUMNS,)), mask=vector < n)


@triton.jit
def matmul_block_pointers(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Block pointers that a loop advances, checked at every border."""
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    a_block = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (m, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, n), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc)
        a_block = tl.advance(a_block, (0, BLOCK_K))
        b_block = tl.advance(b_block, (BLOCK_K, 0))
    c_block = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, stride_cn), (m, n), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(c_block, acc.to(c_ptr.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def descriptor_copy(x_ptr, y_ptr, rows, columns, shift, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    """A tensor descriptor read beside its borders, which gives zeros there, and one written."""
    x = tl.make_tensor_descriptor(x_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BLOCK_M, BLOCK_N])
    y = tl.make_tensor_descriptor(y_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BLOCK_M, BLOCK_N])
    m = tl.program_id(0) * BLOCK_M
    n = tl.program_id(1) * BLOCK_N
    y.store([m, n], x.load([m - shift, n + shift]) + 1)


@triton.jit
def two_stores(x_ptr, y_ptr, apart, BLOCK: tl.constexpr):
    """Two stores that may overlap, and may overlap what is loaded; by the program's order the second one wins."""
    at = tl.program_id(0) * 4 * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, x + 1)
    tl.store(y_ptr + at + apart, x * 2)
