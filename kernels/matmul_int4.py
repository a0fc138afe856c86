"""C = A @ B with weights of 4 bits: two of them in a byte along K, a scale and a zero point for every GROUP of them.

The weight is (nibble - zero) * scale. Byte (k, n) of `packed` holds the weights 2k (low nibble) and 2k + 1 (high nibble) of column n. A block of bytes
is therefore two blocks of weights, one for the even and one for the odd elements of A's row: two dots, and no shuffling.
"""

import triton
import triton.language as tl


@triton.jit
def matmul_int4(
    a_ptr, packed_ptr, scale_ptr, zero_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_packed, stride_scale, stride_cm,
    GROUP: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_BYTES: tl.constexpr,
):
    """packed is (K / 2) x N bytes, scale and zero (K / GROUP) x N; a group has a whole number of blocks: GROUP % (2 * BLOCK_BYTES) == 0."""
    tl.static_assert(GROUP % (2 * BLOCK_BYTES) == 0, "GROUP must be a multiple of 2 * BLOCK_BYTES: a block has one scale")
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, K, 2 * BLOCK_BYTES):
        byte = first // 2 + tl.arange(0, BLOCK_BYTES)
        even = 2 * byte
        inside = even[None, :] < K
        row = a_ptr + m[:, None] * stride_am
        a_even = tl.load(row + even[None, :] * stride_ak, mask=(m[:, None] < M) & inside, other=0.0)
        a_odd = tl.load(row + (even[None, :] + 1) * stride_ak, mask=(m[:, None] < M) & inside, other=0.0)
        packed = tl.load(
            packed_ptr + byte[:, None] * stride_packed + n[None, :], mask=(even[:, None] < K) & (n[None, :] < N), other=0
        )
        scale = tl.load(scale_ptr + first // GROUP * stride_scale + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
        zero = tl.load(zero_ptr + first // GROUP * stride_scale + n, mask=n < N, other=0.0).to(tl.float32)[None, :]
        low = ((packed & 15).to(tl.float32) - zero) * scale
        high = ((packed >> 4).to(tl.float32) - zero) * scale
        acc = tl.dot(a_even, low.to(a_even.dtype), acc, input_precision="ieee")
        acc = tl.dot(a_odd, high.to(a_odd.dtype), acc, input_precision="ieee")
    tl.store(
        c_ptr + m[:, None] * stride_cm + n[None, :], acc.to(c_ptr.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N)
    )
