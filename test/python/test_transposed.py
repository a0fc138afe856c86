"""Transposed copies, which the CPU engine turns over in registers square by square, against numpy: whole squares, cut ones, in place."""

import numpy as np
import pytest

import tilewise as triton
import tilewise.language as tl


@triton.jit
def transposed(out, data, bias, rows, columns, stride, R: tl.constexpr, C: tl.constexpr):
    """out[c, r] = 2 data[r, c] + bias[r]"""
    c = tl.program_id(0) * C + tl.arange(0, C)[:, None]
    r = tl.program_id(1) * R + tl.arange(0, R)[None, :]
    inside = (c < columns) & (r < rows)
    value = tl.load(data + r * stride + c, mask=inside, other=1)
    tl.store(out + c * rows + r, value * 2 + tl.load(bias + r, mask=r < rows), mask=inside)


@triton.jit
def turned_over(square, N: tl.constexpr):
    """In place: all is loaded before any of it is stored."""
    c, r = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    tl.store(square + c * N + r, tl.load(square + r * N + c))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16, np.int8])
@pytest.mark.parametrize("rows, columns, block", [(64, 64, (32, 32)), (33, 65, (32, 32)), (100, 7, (16, 64)), (40, 50, (64, 8)), (5, 130, (64, 16)), (1, 1, (16, 16))])
def test_copies(dtype, rows, columns, block):
    random = np.random.default_rng(rows)
    data, bias = random.integers(0, 30, (rows, columns + 3)).astype(dtype), random.integers(0, 30, rows).astype(dtype)
    out = np.zeros((columns, rows), dtype)
    grid = (triton.cdiv(columns, block[1]), triton.cdiv(rows, block[0]))
    transposed[grid](out, data, bias, rows, columns, columns + 3, R=block[0], C=block[1])
    assert np.array_equal(out, data[:, :columns].T * 2 + bias)


@pytest.mark.parametrize("size", [4, 16, 64])
def test_in_place(size):
    square = np.arange(size * size, dtype=np.float32).reshape(size, size)
    expected = square.T.copy()
    turned_over[(1,)](square, N=size)
    assert np.array_equal(square, expected)
