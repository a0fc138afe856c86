"""One launch for matrix products of different heights: rows start[g] to start[g + 1] of A times matrix g of B, as the experts of a mixture need it.

A launch per group would leave most of a machine idle when groups are small. Here every program finds out which group its tile belongs to by counting
the tiles of the groups before it; programs past the last tile have nothing to do.
"""

import triton
import triton.language as tl


@triton.jit
def matmul_grouped(
    a_ptr, b_ptr, c_ptr, start_ptr, groups,
    N, K,
    stride_am, stride_ak, stride_bg, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """Grid: at least the sum over groups of cdiv(rows, BLOCK_M), by cdiv(N, BLOCK_N)."""
    tile = tl.program_id(0)
    group = 0
    first = tl.load(start_ptr)
    end = tl.load(start_ptr + 1)
    tiles = tl.cdiv(end - first, BLOCK_M).to(tl.int32)
    while (tile >= tiles) & (group + 1 < groups):
        tile -= tiles
        group += 1
        first = end
        end = tl.load(start_ptr + group + 1)
        tiles = tl.cdiv(end - first, BLOCK_M).to(tl.int32)
    if tile < tiles:
        m = (first + tile * BLOCK_M + tl.arange(0, BLOCK_M)).to(tl.int64)
        n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        k = tl.arange(0, BLOCK_K)
        b_group = b_ptr + tl.cast(group, tl.int64) * stride_bg
        compute: tl.constexpr = tl.float64 if a_ptr.dtype.element_ty == tl.float64 else tl.float32
        acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute)
        for done in range(0, K, BLOCK_K):
            at = done + k
            a = tl.load(
                a_ptr + m[:, None] * stride_am + at[None, :] * stride_ak,
                mask=(m[:, None] < end) & (at[None, :] < K), other=0.0,
            )
            b = tl.load(
                b_group + at[:, None] * stride_bk + n[None, :] * stride_bn,
                mask=(at[:, None] < K) & (n[None, :] < N), other=0.0,
            )
            acc = tl.dot(a, b, acc, input_precision="ieee", out_dtype=compute)
        tl.store(
            c_ptr + m[:, None] * stride_cm + n[None, :] * stride_cn, acc.to(c_ptr.dtype.element_ty),
            mask=(m[:, None] < end) & (n[None, :] < N),
        )
