"""Layer normalisation for training: a forward pass over rows of any length that keeps mean and 1/deviation, and the two backward passes.

    y = (x - mean) * rstd * weight + bias           with g = dy * weight and n = (x - mean) * rstd:
    dx = rstd * (g - mean(g) - n * mean(g * n))     per row; one program each
    dweight = sum over rows of dy * n, dbias = sum over rows of dy      per column; a program takes some columns and walks all rows

The sums over rows need neither atomics nor scratch memory this way, and come out the same in every run.
"""

import triton
import triton.language as tl


@triton.jit
def layer_norm_forward(
    x_ptr, y_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr,
    x_stride, y_stride, columns, eps,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32

    total = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        total += tl.load(x_row + first + lane, mask=first + lane < columns, other=0.0).to(compute)
    mean = tl.sum(total, axis=0) / columns

    # A second walk for the squares: E[x^2] - mean^2 in one walk loses all digits where the mean is large.
    squares = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        centred = tl.where(inside, x - mean, 0.0)
        squares += centred * centred
    rstd = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        bias = tl.load(bias_ptr + first + lane, mask=inside, other=0.0).to(compute)
        tl.store(y_ptr + row * y_stride + first + lane, (x - mean) * rstd * weight + bias, mask=inside)


@triton.jit
def layer_norm_backward_input(
    x_ptr, dy_ptr, dx_ptr, weight_ptr, mean_ptr, rstd_ptr,
    x_stride, dy_stride, dx_stride, columns,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_stride
    dy_row = dy_ptr + row * dy_stride
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    mean = tl.load(mean_ptr + row)
    rstd = tl.load(rstd_ptr + row)

    of_g = tl.zeros((BLOCK,), dtype=compute)
    of_gn = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        # Off the mask g is 0, so neither sum sees those lanes.
        g = tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute) * weight
        of_g += g
        of_gn += g * (x - mean) * rstd
    mean_g = tl.sum(of_g, axis=0) / columns
    mean_gn = tl.sum(of_gn, axis=0) / columns

    for first in range(0, columns, BLOCK):
        inside = first + lane < columns
        x = tl.load(x_row + first + lane, mask=inside, other=0.0).to(compute)
        weight = tl.load(weight_ptr + first + lane, mask=inside, other=0.0).to(compute)
        g = tl.load(dy_row + first + lane, mask=inside, other=0.0).to(compute) * weight
        dx = rstd * (g - mean_g - (x - mean) * rstd * mean_gn)
        tl.store(dx_ptr + row * dx_stride + first + lane, dx, mask=inside)


@triton.jit
def layer_norm_backward_weights(
    x_ptr, dy_ptr, dweight_ptr, dbias_ptr, mean_ptr, rstd_ptr,
    x_stride, dy_stride, rows, columns,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLUMNS: tl.constexpr,
):
    column = tl.program_id(0) * BLOCK_COLUMNS + tl.arange(0, BLOCK_COLUMNS)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    dweight = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=compute)
    dbias = tl.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=compute)
    for first in range(0, rows, BLOCK_ROWS):
        row = first + tl.arange(0, BLOCK_ROWS)
        inside = (row[:, None] < rows) & (column[None, :] < columns)
        wide = row[:, None].to(tl.int64)
        x = tl.load(x_ptr + wide * x_stride + column[None, :], mask=inside, other=0.0).to(compute)
        dy = tl.load(dy_ptr + wide * dy_stride + column[None, :], mask=inside, other=0.0).to(compute)
        mean = tl.load(mean_ptr + row, mask=row < rows, other=0.0)
        rstd = tl.load(rstd_ptr + row, mask=row < rows, other=0.0)
        dweight += dy * (x - mean[:, None]) * rstd[:, None]
        dbias += dy
    tl.store(dweight_ptr + column, tl.sum(dweight, axis=0), mask=column < columns)
    tl.store(dbias_ptr + column, tl.sum(dbias, axis=0), mask=column < columns)
