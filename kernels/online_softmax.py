"""Softmax of rows of any length, forward and backward: a row is walked in blocks, so no block needs to hold it.

The plain way needs the maximum before the first exponential, then the sum before the first quotient: three walks. Online, one walk finds both:
when a block raises the maximum, the sum so far is scaled by exp(old maximum - new maximum), as if the new one had been known from the start.
The second walk writes. Attention (flash_attention.py) is this idea with a matrix multiplication inside.
"""

import triton
import triton.language as tl


@triton.jit
def online_softmax(out_ptr, in_ptr, out_stride, in_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    in_row = in_ptr + row * in_stride
    out_row = out_ptr + row * out_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if in_ptr.dtype.element_ty == tl.float64 else tl.float32

    # Each lane keeps a maximum and a sum of its own; they are brought together once, after the walk.
    highest = tl.full((BLOCK,), -float("inf"), dtype=compute)
    total = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(in_row + first + lane, mask=inside, other=-float("inf")).to(compute)
        now = tl.maximum(highest, x)
        # A lane that has seen only -inf: -inf - -inf would be NaN.
        still_empty = now == -float("inf")
        total = tl.where(still_empty, 0.0, total * tl.exp(highest - now) + tl.exp(x - now))
        highest = now
    top = tl.max(highest, axis=0)
    total = tl.sum(tl.where(highest == -float("inf"), 0.0, total * tl.exp(highest - top)), axis=0)

    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(in_row + first + lane, mask=inside, other=-float("inf")).to(compute)
        tl.store(out_row + first + lane, tl.exp(x - top) / total, mask=inside)


@triton.jit
def online_softmax_backward(dx_ptr, y_ptr, dy_ptr, dx_stride, y_stride, dy_stride, columns, BLOCK: tl.constexpr):
    """dx = y * (dy - sum(y * dy)): one walk for the sum, one to write."""
    row = tl.program_id(0).to(tl.int64)
    y_row = y_ptr + row * y_stride
    dy_row = dy_ptr + row * dy_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if y_ptr.dtype.element_ty == tl.float64 else tl.float32

    inner = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        y = tl.load(y_row + first + lane, mask=inside, other=0.0).to(compute)
        dy = tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute)
        inner += y * dy
    inner = tl.sum(inner, axis=0)

    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        y = tl.load(y_row + first + lane, mask=inside, other=0.0).to(compute)
        dy = tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute)
        tl.store(dx_ptr + row * dx_stride + first + lane, y * (dy - inner), mask=inside)
