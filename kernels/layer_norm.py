"""Layer normalisation of each row, and the same followed by a linear layer without leaving the chip."""

import triton
import triton.language as tl


@triton.jit
def normalise(x, inside, columns, eps):
    """(x - mean) / sqrt(variance + eps) along the last axis; lanes outside the row count as 0."""
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    return centred * (1.0 / tl.sqrt(variance + eps))


@triton.jit
def layer_norm(x_ptr, y_ptr, weight_ptr, bias_ptr, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * stride + column, mask=inside, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + column, mask=inside, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + column, mask=inside, other=0.0).to(tl.float32)
    y = normalise(x, inside, columns, eps) * weight + bias
    tl.store(y_ptr + row * stride + column, y, mask=inside)


@triton.jit
def layer_norm_linear(
    x_ptr, y_ptr, weight_ptr, bias_ptr, linear_ptr, linear_bias_ptr,
    rows, columns, outputs, eps,
    stride_x, stride_y, stride_linear,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """y = layer_norm(x) @ linear + linear_bias for a tile of rows and outputs; linear is columns x outputs."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    row_inside = m[:, None] < rows

    total = tl.zeros((BLOCK_M,), dtype=tl.float32)
    squares = tl.zeros((BLOCK_M,), dtype=tl.float32)
    for first in range(0, columns, BLOCK_K):
        at = first + k
        x = tl.load(x_ptr + m[:, None] * stride_x + at[None, :], mask=row_inside & (at[None, :] < columns), other=0.0)
        x = x.to(tl.float32)
        total += tl.sum(x, axis=1)
        squares += tl.sum(x * x, axis=1)
    mean = total / columns
    scale = 1.0 / tl.sqrt(squares / columns - mean * mean + eps)

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for first in range(0, columns, BLOCK_K):
        at = first + k
        inside = at < columns
        x = tl.load(x_ptr + m[:, None] * stride_x + at[None, :], mask=row_inside & inside[None, :], other=0.0)
        weight = tl.load(weight_ptr + at, mask=inside, other=0.0).to(tl.float32)
        bias = tl.load(bias_ptr + at, mask=inside, other=0.0).to(tl.float32)
        normal = (x.to(tl.float32) - mean[:, None]) * scale[:, None] * weight[None, :] + bias[None, :]
        normal = tl.where(inside[None, :], normal, 0.0)
        linear = tl.load(
            linear_ptr + at[:, None] * stride_linear + n[None, :],
            mask=inside[:, None] & (n[None, :] < outputs), other=0.0,
        )
        acc = tl.dot(normal, linear.to(tl.float32), acc, input_precision="ieee")
    acc += tl.load(linear_bias_ptr + n, mask=n < outputs, other=0.0).to(tl.float32)[None, :]
    tl.store(y_ptr + m[:, None] * stride_y + n[None, :], acc, mask=row_inside & (n[None, :] < outputs))
