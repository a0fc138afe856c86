"""Kernels that upstream Triton and Tilewise both compile from this one text, for the column of upstream."""

import triton
import triton.language as tl


@triton.jit
def multiply_add_sqrt(a_ptr, b_ptr, c_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    product = tl.load(a_ptr + at, mask=inside) * tl.load(b_ptr + at, mask=inside)
    tl.store(out_ptr + at, tl.sqrt(product + tl.load(c_ptr + at, mask=inside)), mask=inside)


@triton.jit
def softmax(x_ptr, out_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * stride + column, mask=inside, other=-float("inf"))
    weight = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + column, weight / tl.sum(weight, axis=0), mask=inside)


@triton.jit
def layer_norm(x_ptr, weight_ptr, bias_ptr, out_ptr, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    x = tl.load(x_ptr + row * stride + column, mask=inside, other=0.0)
    centred = tl.where(inside, x - tl.sum(x, axis=0) / columns, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + column, mask=inside)
    bias = tl.load(bias_ptr + column, mask=inside)
    tl.store(out_ptr + row * stride + column, centred * scale * weight + bias, mask=inside)
