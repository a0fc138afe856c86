"""Matrix products with 8-bit weights: floats times int8 weights with a scale per column, and int8 times int8 with scales on both sides.

A weight of 8 bits is half of fp16's traffic, and for few rows of A traffic is all that counts. The scale of a column is the same along K, so it
leaves the sum and multiplies once at the end.
"""

import triton
import triton.language as tl


@triton.jit
def matmul_int8_weights(
    a_ptr, b_ptr, scale_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """c = (a @ float(b)) * scale, scale per column of b."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=(k[:, None] < K) & (n[None, :] < N), other=0
        )
        # Exact: every type of a holds the whole numbers from -128 to 127.
        acc = tl.dot(a, b.to(a.dtype), acc, input_precision="ieee")
    acc *= tl.load(scale_ptr + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
    tl.store(
        c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, acc.to(c_ptr.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )


@triton.jit
def matmul_int8(
    a_ptr, b_ptr, a_scale_ptr, b_scale_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """c = (a @ b) * a_scale * b_scale with int8 a and b: the sum is exact in int32, a scale per row of a and per column of b."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.int32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        a = tl.load(
            a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=(m[:, None] < M) & (k[None, :] < K), other=0
        )
        b = tl.load(
            b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=(k[:, None] < K) & (n[None, :] < N), other=0
        )
        acc = tl.dot(a, b, acc)
    a_scale = tl.load(a_scale_ptr + m, mask=m < M, other=0.0).to(tl.float32)
    b_scale = tl.load(b_scale_ptr + n, mask=n < N, other=0.0).to(tl.float32)
    c = acc.to(tl.float32) * a_scale[:, None] * b_scale[None, :]
    tl.store(
        c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, c.to(c_ptr.dtype.element_ty),
        mask=(m[:, None] < M) & (n[None, :] < N),
    )
