"""Rotary position embedding: each pair of a head's elements is turned by an angle that grows with the token's position.

    out[i] = x[i] * cos - x[j] * sin,   out[j] = x[j] * cos + x[i] * sin

A pair is (i, i + half) by default, or the neighbours (2i, 2i + 1) with INTERLEAVED. cos and sin are tokens x half tables. Turning back is turning by
the negative angle, so the gradient is the same kernel with BACKWARD.
"""

import triton
import triton.language as tl


@triton.jit
def rotary(
    x_ptr, out_ptr, cos_ptr, sin_ptr, tokens, heads, half,
    stride_batch, stride_token, stride_head, out_stride_batch, out_stride_token, out_stride_head,
    INTERLEAVED: tl.constexpr, BACKWARD: tl.constexpr, BLOCK_HEADS: tl.constexpr, BLOCK_HALF: tl.constexpr,
):
    """One token: its angles are loaded once and turn all heads. x is batch x tokens x heads x (2 * half) with the given strides."""
    token = tl.program_id(0) % tokens
    batch = tl.program_id(0) // tokens
    pair = tl.arange(0, BLOCK_HALF)
    used = pair < half
    cos = tl.load(cos_ptr + token * half + pair, mask=used, other=0.0)
    sin = tl.load(sin_ptr + token * half + pair, mask=used, other=0.0)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    cos = cos.to(compute)[None, :]
    sin = (-sin.to(compute) if BACKWARD else sin.to(compute))[None, :]
    x_token = x_ptr + batch.to(tl.int64) * stride_batch + token.to(tl.int64) * stride_token
    out_token = out_ptr + batch.to(tl.int64) * out_stride_batch + token.to(tl.int64) * out_stride_token
    for first in range(0, heads, BLOCK_HEADS):
        head = (first + tl.arange(0, BLOCK_HEADS))[:, None]
        if INTERLEAVED:
            # Neighbours are loaded as they lie and then taken apart: loading every other element would touch each sector of memory twice.
            at = tl.arange(0, 2 * BLOCK_HALF)[None, :]
            inside = (head < heads) & (at < 2 * half)
            x = tl.load(x_token + head * stride_head + at, mask=inside, other=0.0).to(compute)
            a, b = tl.split(tl.reshape(x, (BLOCK_HEADS, BLOCK_HALF, 2)))
            turned = tl.reshape(tl.join(a * cos - b * sin, b * cos + a * sin), (BLOCK_HEADS, 2 * BLOCK_HALF))
            tl.store(out_token + head * out_stride_head + at, turned, mask=inside)
        else:
            inside = (head < heads) & used[None, :]
            one = head * stride_head + pair[None, :]
            a = tl.load(x_token + one, mask=inside, other=0.0).to(compute)
            b = tl.load(x_token + one + half, mask=inside, other=0.0).to(compute)
            one = head * out_stride_head + pair[None, :]
            tl.store(out_token + one, a * cos - b * sin, mask=inside)
            tl.store(out_token + one + half, b * cos + a * sin, mask=inside)
