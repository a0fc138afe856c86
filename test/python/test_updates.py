"""Atomics that tell nothing: on one thread they are plain arithmetic on vectors, on many they stay atomic, and launches beside each other lose nothing."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tilewise as triton
import tilewise.language as tl


@triton.jit
def scattered(out, index, values, n, D: tl.constexpr, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.load(index + x // D, mask=x < n)
    tl.atomic_add(out + x % D + D * row, tl.load(values + x, mask=x < n), mask=x < n, sem="relaxed")


@triton.jit
def counted(out, which, n, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(which + x, mask=x < n), 1, mask=x < n)


@triton.jit
def same_row(out, values, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Every row of the block meets the same elements."""
    column = tl.arange(0, COLUMNS)[None, :]
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + column
    tl.atomic_add(out + column + 0 * at, tl.load(values + at))


@triton.jit
def extremes(low, high, bits, values, BLOCK: tl.constexpr):
    x = tl.arange(0, BLOCK)
    v = tl.load(values + tl.program_id(0) * BLOCK + x)
    tl.atomic_min(low + x, v)
    tl.atomic_max(high + x, v)
    tl.atomic_or(bits + x, v)


@triton.jit
def its_own_index(index, n, D: tl.constexpr, BLOCK: tl.constexpr):
    """Where the numbers of rows lie in what is added to: they are loaded before."""
    x = tl.arange(0, BLOCK)
    row = tl.load(index + x // D)
    tl.atomic_add(index + x % D + D * row, 1)


@triton.jit
def tickets(out, counter):
    tl.store(out + tl.program_id(0), tl.atomic_add(counter, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.float16])
@pytest.mark.parametrize("width, rows, block", [(128, 20, 1024), (128, 9, 64), (40, 9, 256), (16, 7, 64), (3, 50, 32), (1, 70, 32)])
def test_scattered_rows(dtype, width, rows, block):
    random = np.random.default_rng(width)
    index, values = random.integers(0, 4, rows), random.integers(-8, 8, (rows, width)).astype(dtype)
    out = random.integers(-8, 8, (5, width)).astype(dtype)
    expected, n = out.copy(), rows * width
    np.add.at(expected, index, values)
    scattered[(triton.cdiv(n, block),)](out, index, values, n, D=width, BLOCK=block)
    assert np.array_equal(out, expected)


def test_elements_of_one_block_that_meet():
    which = np.random.default_rng(1).integers(0, 3, 1000)
    out = np.zeros(4, np.int32)
    counted[(1,)](out, which, 1000, BLOCK=1024)
    assert np.array_equal(out, np.bincount(which, minlength=4))
    values, sums = np.arange(8 * 32, dtype=np.float32).reshape(8, 32), np.ones(32, np.float32)
    same_row[(1,)](sums, values, ROWS=8, COLUMNS=32)
    assert np.array_equal(sums, 1 + values.sum(0))


def test_minima_maxima_and_bits():
    values = np.random.default_rng(2).integers(-99, 99, (6, 64)).astype(np.int32)
    low, high, bits = np.zeros((3, 64), np.int32)
    extremes[(6,)](low, high, bits, values, BLOCK=64)
    assert np.array_equal(low, np.minimum(values.min(0), 0)) and np.array_equal(high, np.maximum(values.max(0), 0))
    assert np.array_equal(bits, np.bitwise_or.reduce(values, 0))


def test_numbers_of_rows_are_loaded_before_any_is_changed():
    index = np.array([0, 1, 0, 1] + [0] * 60, np.int64)
    expected = index.copy()
    np.add.at(expected.reshape(-1, 16), index[:4], 1)
    its_own_index[(1,)](index, 64, D=16, BLOCK=64)
    assert np.array_equal(index, expected)


def test_launches_beside_each_other_lose_nothing():
    """Of one program each, so that each would be alone; and with others that ask for old elements, or run on all threads."""
    index, values = np.zeros(8, np.int64), np.ones((8, 128), np.float32)
    out, counter, told = np.zeros((1, 128), np.float32), np.zeros(1, np.int32), np.zeros((4, 200), np.int32)

    def add():
        for _ in range(200):
            scattered[(1,)](out, index, values, 1024, D=128, BLOCK=1024)
            scattered[(8,)](out, index, values, 1024, D=128, BLOCK=128)

    def take(mine):
        for at in range(200):
            tickets[(1,)](mine[at:], counter)

    threads = [threading.Thread(target=add) for _ in range(4)] + [threading.Thread(target=take, args=(mine,)) for mine in told]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (out == 4 * 200 * 16).all()
    assert sorted(told.ravel()) == list(range(800))


def test_all_of_this_on_one_thread():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", "not one_thread"]
    ran = subprocess.run(command, env={**os.environ, "TILEWISE_NUM_THREADS": "1"}, capture_output=True, text=True)
    assert ran.returncode == 0 and "34 passed" in ran.stdout, ran.stdout
