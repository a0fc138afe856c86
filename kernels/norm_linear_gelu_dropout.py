"""dropout(gelu(layer_norm(x) @ linear + bias)): four operations of a transformer block in one kernel.

One after the other they write and read back three intermediate matrices: eight passes through memory that are not needed. Here a tile of rows is
normalised while it is multiplied, and activation and dropout happen to the sums before they are stored. The seed decides what is dropped, so a
backward pass can drop the same elements again without a stored mask.
"""

import triton
import triton.language as tl


@triton.jit
def gelu(x):
    return 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))


@triton.jit
def norm_linear_gelu_dropout(
    x_ptr, y_ptr, weight_ptr, bias_ptr, linear_ptr, linear_bias_ptr,
    rows, columns, outputs, eps, p, seed,
    stride_x, stride_y, stride_linear_k, stride_linear_n,
    ACTIVATION: tl.constexpr, HAS_DROPOUT: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    """A tile of BLOCK_M rows by BLOCK_N outputs; linear is columns x outputs with the given strides."""
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    row_inside = m[:, None] < rows
    x_rows = x_ptr + m[:, None].to(tl.int64) * stride_x
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32

    # Mean and deviation first, in two walks over rows that stay in the cache.
    total = tl.zeros((BLOCK_M,), dtype=compute)
    for first in range(0, columns, BLOCK_K):
        at = (first + k)[None, :]
        total += tl.sum(tl.load(x_rows + at, mask=row_inside & (at < columns), other=0.0).to(compute), axis=1)
    mean = total / columns
    squares = tl.zeros((BLOCK_M,), dtype=compute)
    for first in range(0, columns, BLOCK_K):
        at = (first + k)[None, :]
        x = tl.load(x_rows + at, mask=row_inside & (at < columns), other=0.0).to(compute)
        centred = tl.where(at < columns, x - mean[:, None], 0.0)
        squares += tl.sum(centred * centred, axis=1)
    rstd = 1.0 / tl.sqrt(squares / columns + eps)

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=compute)
    for first in range(0, columns, BLOCK_K):
        at = first + k
        inside = at < columns
        x = tl.load(x_rows + at[None, :], mask=row_inside & inside[None, :], other=0.0).to(compute)
        weight = tl.load(weight_ptr + at, mask=inside, other=0.0).to(compute)
        bias = tl.load(bias_ptr + at, mask=inside, other=0.0).to(compute)
        # Past the last column weight and bias are 0, and so is what is multiplied.
        normal = (x - mean[:, None]) * rstd[:, None] * weight[None, :] + bias[None, :]
        linear = tl.load(
            linear_ptr + at[:, None] * stride_linear_k + n[None, :] * stride_linear_n,
            mask=inside[:, None] & (n[None, :] < outputs), other=0.0,
        )
        # As an unfused layer norm would hand it on: rounded to the type of the weights.
        acc = tl.dot(normal.to(linear.dtype), linear, acc, input_precision="ieee", out_dtype=compute)
    y = acc + tl.load(linear_bias_ptr + n, mask=n < outputs, other=0.0).to(compute)[None, :]
    if ACTIVATION == "gelu":
        y = gelu(y)
    if HAS_DROPOUT:
        keep = tl.rand(seed, m[:, None] * outputs + n[None, :]) > p
        y = tl.where(keep, y / (1.0 - p), 0.0)
    tl.store(
        y_ptr + m[:, None].to(tl.int64) * stride_y + n[None, :], y.to(y_ptr.dtype.element_ty),
        mask=row_inside & (n[None, :] < outputs),
    )
