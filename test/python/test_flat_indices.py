"""Kernels that number elements through and take the numbers apart again, as compilers write them, against numpy."""

import numpy as np
import pytest

import tilewise as triton
import tilewise.language as tl


@triton.jit
def embed(out, table, index, n, D: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = x < n
    row = tl.load(index + x // D, mask=inside)
    tl.store(out + x, tl.load(table + x % D + D * row, mask=inside), mask=inside)


@triton.jit
def normalize(out, data, mean, scale, n: tl.constexpr, C: tl.constexpr, S: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    channel = (x // S) % C
    inside = x < n
    value = tl.load(data + x, mask=inside, other=1.0) - tl.load(mean + channel, mask=inside, other=2.0)
    tl.store(out + x, value * tl.load(scale + channel), mask=inside)


@triton.jit
def transposed(out, data, n, R: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + (x % C) * R + x // C, tl.load(data + x, mask=x < n), mask=x < n)


@pytest.mark.parametrize("width, rows, block", [(512, 7, 1024), (512, 8, 256), (96, 21, 1024), (48, 5, 128), (40, 9, 256), (16, 3, 64), (1, 70, 32)])
def test_rows_by_loaded_numbers(width, rows, block):
    random = np.random.default_rng(width)
    table, index = random.random((11, width), np.float32), random.integers(0, 11, rows)
    out, n = np.zeros((rows, width), np.float32), rows * width
    embed[(triton.cdiv(n, block),)](out, table, index, n, D=width, BLOCK=block)
    assert np.array_equal(out, table[index])


@pytest.mark.parametrize("batch, channels, size, block", [(2, 3, 64, 256), (3, 5, 32, 1024), (1, 7, 100, 128), (2, 4, 16, 16)])
def test_a_number_for_each_channel(batch, channels, size, block):
    random = np.random.default_rng(size)
    data = random.random((batch, channels, size), np.float32)
    mean, scale = random.random((2, channels)).astype(np.float32)
    out = np.zeros_like(data)
    normalize[(triton.cdiv(data.size, block),)](out, data, mean, scale, n=data.size, C=channels, S=size, BLOCK=block)
    assert np.array_equal(out, (data - mean[:, None]) * scale[:, None])


@triton.jit
def picked(out, table, index, D: tl.constexpr, LIMIT: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + x // D)
    tl.device_assert((row >= 0) & (row < LIMIT), "a row of the table")
    tl.store(out + x, tl.load(table + x % D + D * row))


def test_an_assertion_names_lanes_as_they_are_numbered():
    table, index = np.arange(640, dtype=np.float32).reshape(10, 64), np.array([3, 9, 0, 5])
    out = np.zeros((4, 64), np.float32)
    picked[(2,)](out, table, index, D=64, LIMIT=10, BLOCK=128, debug=True)
    assert np.array_equal(out, table[index])
    index[3] = 10
    with pytest.raises(RuntimeError, match=r"a row of the table, in program \(1, 0, 0\), lane \(64\)"):
        picked[(2,)](out, table, index, D=64, LIMIT=10, BLOCK=128, debug=True)


@pytest.mark.parametrize("rows, columns, block", [(5, 64, 128), (33, 32, 1024), (3, 7, 16)])
def test_transposed_copies(rows, columns, block):
    data = np.random.default_rng(0).random((rows, columns), np.float32)
    out = np.zeros((columns, rows), np.float32)
    transposed[(triton.cdiv(data.size, block),)](out, data, data.size, R=rows, C=columns, BLOCK=block)
    assert np.array_equal(out, data.T)


@triton.jit
def sums(out, data, bias, n, R: tl.constexpr, C: tl.constexpr, BLOCK: tl.constexpr):
    channel = tl.program_id(0)
    total = tl.zeros([BLOCK], tl.float32)
    for first in range(0, n, BLOCK):
        x = first + tl.arange(0, BLOCK)
        value = tl.load(data + x % R + R * channel + C * R * (x // R), mask=x < n, other=0.0)
        if first == 0:
            total = value
        else:
            total = total + value * tl.load(bias + x // R, mask=x < n, other=0.0)
    tl.store(out + channel, tl.sum(total))


@pytest.mark.parametrize("batch, channels, size, block", [(4, 3, 64, 128), (5, 2, 32, 64), (3, 4, 100, 64), (2, 3, 16, 256), (6, 2, 8, 32)])
def test_a_loop_over_runs(batch, channels, size, block):
    random = np.random.default_rng(size)
    data, bias = random.integers(-9, 9, (batch, channels, size)).astype(np.float32), random.integers(1, 5, batch).astype(np.float32)
    out, n = np.zeros(channels, np.float32), batch * size
    sums[(channels,)](out, data, bias, n, R=size, C=channels, BLOCK=block)
    factors = np.repeat(bias, size)
    factors[:block] = 1
    assert np.array_equal(out, (data.transpose(1, 0, 2).reshape(channels, n) * factors).sum(1))


def test_rows_that_overlap_what_they_are_stored_to():
    """Row i + 1 of a table is stored over row i of it: a block is loaded whole before it is stored."""
    width, rows = 64, 8
    table = np.random.default_rng(0).random((rows + 1, width), np.float32)
    index, before = np.array([0, 0, 1, 2, 3, 4, 5, 6]), table.copy()
    embed[(1,)](table, table, index, rows * width, D=width, BLOCK=rows * width)
    assert np.array_equal(table[:rows], before[index])
