"""C = activation(A @ B + bias): a linear layer in one kernel, for matrices of any size and strides.

The product is made as in matmul.py. What is new comes at both ends. The programs are numbered so that neighbours share tiles: GROUP rows of tiles are
walked column by column, and so the rows of A and columns of B that are in a cache serve GROUP times. And the sums are still in registers when bias and
activation need them: an epilogue costs no memory traffic at all.
"""

import triton
import triton.language as tl


@triton.jit
def activate(x, ACTIVATION: tl.constexpr):
    if ACTIVATION == "relu":
        x = tl.maximum(x, 0.0)
    elif ACTIVATION == "leaky_relu":
        x = tl.where(x >= 0, x, 0.01 * x)
    elif ACTIVATION == "gelu":
        x = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    elif ACTIVATION == "silu":
        x = x * tl.sigmoid(x)
    else:
        tl.static_assert(ACTIVATION == "none", "ACTIVATION is none, relu, leaky_relu, gelu or silu")
    return x


@triton.jit
def grouped_tile(tile, tiles_m, tiles_n, GROUP: tl.constexpr):
    """Tile number -> (row, column): GROUP rows of tiles are walked column by column before the next rows."""
    per_group = GROUP * tiles_n
    first_row = tile // per_group * GROUP
    rows = min(tiles_m - first_row, GROUP)
    return first_row + tile % per_group % rows, tile % per_group // rows


@triton.jit
def linear(
    a_ptr, b_ptr, bias_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    HAS_BIAS: tl.constexpr, ACTIVATION: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):
    row, column = grouped_tile(tl.program_id(0), tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N), GROUP)
    m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + m[:, None].to(tl.int64) * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + k[:, None] * stride_bk + n[None, :].to(tl.int64) * stride_bn
    compute: tl.constexpr = tl.float64 if a_ptr.dtype.element_ty == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute)
    for done in range(0, K, BLOCK_K):
        a = tl.load(a_ptrs, mask=(m[:, None] < M) & (k[None, :] < K - done), other=0.0)
        b = tl.load(b_ptrs, mask=(k[:, None] < K - done) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=compute)
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    if HAS_BIAS:
        acc += tl.load(bias_ptr + n, mask=n < N, other=0.0).to(compute)[None, :]
    acc = activate(acc, ACTIVATION)
    c_ptrs = c_ptr + m[:, None].to(tl.int64) * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))
