"""Root mean square normalisation, y = x * weight / sqrt(mean(x^2) + eps), for rows of any length; forward and backward.

Layer normalisation without the mean: one sum instead of two. With n = x * rstd and g = dy * weight the gradient is
    dx = rstd * (g - n * mean(g * n)),   dweight = sum over rows of dy * n.
"""

import triton
import triton.language as tl


@triton.jit
def rms_norm_forward(x_ptr, y_ptr, weight_ptr, rstd_ptr, x_stride, y_stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    squares = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        x = tl.load(x_row + first + lane, mask=first + lane < columns, other=0.0).to(compute)
        squares += x * x
    rstd = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(rstd_ptr + row, rstd)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        tl.store(y_ptr + row * y_stride + first + lane, x * rstd * weight, mask=inside)


@triton.jit
def rms_norm_backward_input(
    x_ptr, dy_ptr, dx_ptr, weight_ptr, rstd_ptr, x_stride, dy_stride, dx_stride, columns, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    dy_row = dy_ptr + row * dy_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    rstd = tl.load(rstd_ptr + row)
    inner = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        inner += tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute) * weight * x * rstd
    mean_gn = tl.sum(inner, axis=0) / columns
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        g = tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute) * weight
        tl.store(dx_ptr + row * dx_stride + first + lane, rstd * (g - x * rstd * mean_gn), mask=inside)


@triton.jit
def rms_norm_backward_weight(
    x_ptr, dy_ptr, dweight_ptr, rstd_ptr, x_stride, dy_stride, rows, columns,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    """A program takes some columns and walks all rows: no atomics, the same sum in every run."""
    column = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    dweight = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=compute)
    for first in range(0, rows, BLOCK_ROWS):
        row = first + tl.arange(0, BLOCK_ROWS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        wide = row[:, None].to(tl.int64)
        x = tl.load(x_ptr + wide * x_stride + column[None, :], mask=inside, other=0.0).to(compute)
        dy = tl.load(dy_ptr + wide * dy_stride + column[None, :], mask=inside, other=0.0).to(compute)
        rstd = tl.load(rstd_ptr + row, mask=row < rows, other=0.0)
        dweight += dy * x * rstd[:, None]
    tl.store(dweight_ptr + column, tl.sum(dweight, axis=0), mask=column < columns)
