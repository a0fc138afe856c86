"""C = A @ B for a long K and a small result: several programs share one tile of C, each adds up a part of K.

A result of a few tiles would keep only a few cores busy however long K is. So K is cut in `splits` pieces, each piece's sums go to a
matrix of their own, and a second kernel adds those up. Adding them in place by atomics would save the second launch, but floats
added in another order give other digits: this way every run gives the same.
"""

import triton
import triton.language as tl


@triton.jit
def matmul_split_k(
    a_ptr, b_ptr, parts_ptr,
    M, N, K, piece,
    stride_am, stride_ak, stride_bk, stride_bn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Grid: tiles of rows, tiles of columns, splits. `piece` is how much of K a split has; parts is splits x M x N."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    split = tl.program_id(2)
    end = tl.minimum(K, (split + 1) * piece)
    compute: tl.constexpr = parts_ptr.dtype.element_ty
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute)
    for first in range(split * piece, end, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=(m[:, None] < M) & (k[None, :] < end), other=0.0
        )
        b = tl.load(
            b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=(k[:, None] < end) & (n[None, :] < N), other=0.0
        )
        acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=compute)
    at = split.to(tl.int64) * M * N + m[:, None] * N + n[None, :]
    tl.store(parts_ptr + at, acc, mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def add_parts(parts_ptr, c_ptr, size, splits, BLOCK: tl.constexpr):
    """c = the sum of `splits` matrices of `size` elements, always in the same order."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    acc = tl.zeros((BLOCK,), dtype=parts_ptr.dtype.element_ty)
    for split in range(0, splits):
        acc += tl.load(parts_ptr + split.to(tl.int64) * size + at, mask=inside, other=0.0)
    tl.store(c_ptr + at, acc.to(c_ptr.dtype.element_ty), mask=inside)
