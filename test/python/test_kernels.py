"""The four kernels on numpy arrays: as files and as live functions, on both engines for host memory, against numpy in double precision."""

import numpy as np
import pytest
import tilewise

RANDOM = np.random.default_rng(2024)


@pytest.mark.parametrize("n", [1, 7, 1024, 4097])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "int64", "uint8"])
def test_vector_add(get_kernel, host_engine, n, dtype):
    kernel = get_kernel("vector_add")
    x = (RANDOM.standard_normal(n) * 50).astype(dtype)
    y = (RANDOM.standard_normal(n) * 50).astype(dtype)
    z = np.zeros_like(x)
    kernel[(tilewise.cdiv(n, 256),)](x, y, z, n, BLOCK=256)
    # One rounding of the exact sum: the same bits.
    assert np.array_equal(z, x + y)


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 100), (16, 128), (5, 1000)])
@pytest.mark.parametrize("dtype, bound", [("float16", 1e-3), ("float32", 2e-6)])
def test_softmax(get_kernel, host_engine, rows, columns, dtype, bound):
    kernel = get_kernel("softmax")
    x = (RANDOM.standard_normal((rows, columns)) * 4).astype(dtype)
    y = np.zeros_like(x)
    kernel[(rows,)](y, x, y.strides[0] // y.itemsize, x.strides[0] // x.itemsize, columns, tilewise.next_power_of_2(columns))
    weight = np.exp(x.astype(np.float64) - x.astype(np.float64).max(axis=1, keepdims=True))
    expected = weight / weight.sum(axis=1, keepdims=True)
    # Below float16's normal range only an absolute bound makes sense: one step of its subnormals.
    assert np.allclose(y, expected, rtol=bound, atol=6e-8)


def test_softmax_of_a_slice_leaves_the_rest_alone(get_kernel, host_engine):
    kernel = get_kernel("softmax")
    whole = np.full((4, 64), 7, np.float32)
    x = RANDOM.standard_normal((4, 50)).astype(np.float32)
    y = whole[:, 3:53]
    kernel[(4,)](y, x, 64, 50, 50, 64)
    weight = np.exp(x.astype(np.float64))
    assert np.allclose(y, weight / weight.sum(axis=1, keepdims=True), rtol=1e-5, atol=0)
    assert (whole[:, :3] == 7).all() and (whole[:, 53:] == 7).all()


@pytest.mark.parametrize("height, width", [(1, 1), (16, 64), (37, 101)])
def test_greyscale(get_kernel, host_engine, height, width):
    kernel = get_kernel("greyscale")
    picture = RANDOM.random((3, height, width)).astype(np.float32)
    grey = np.zeros((height, width), np.float32)
    grid = lambda meta: (tilewise.cdiv(height, meta["BLOCK_H"]), tilewise.cdiv(width, meta["BLOCK_W"]))
    kernel[grid](picture, grey, height, width, BLOCK_H=16, BLOCK_W=32)
    expected = np.tensordot([0.299, 0.587, 0.114], picture.astype(np.float64), axes=1)
    assert np.allclose(grey, expected, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("m, n, k", [(16, 16, 16), (33, 65, 47), (1, 100, 9)])
@pytest.mark.parametrize("dtype, unit", [("float16", 2**-11), ("float32", 2**-24)])
def test_matmul(get_kernel, host_engine, m, n, k, dtype, unit):
    kernel = get_kernel("matmul")
    a = RANDOM.standard_normal((m, k)).astype(dtype)
    # Transposed in memory: strides are the kernel's business.
    b = RANDOM.standard_normal((n, k)).astype(dtype).T
    c = np.zeros((m, n), dtype)
    strides = [stride // array.itemsize for array in (a, b, c) for stride in array.strides]
    grid = (tilewise.cdiv(m, 32), tilewise.cdiv(n, 32))
    kernel[grid](a, b, c, m, n, k, *strides, BLOCK_M=32, BLOCK_N=32, BLOCK_K=16, num_warps=4, num_stages=2)
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    exact = wide_a @ wide_b
    # The design's bound for a sum of products in f32, then one rounding to the result's type.
    bound = 2 * k * 2**-24 * (np.abs(wide_a) @ np.abs(wide_b)) + unit * np.abs(exact) + 1e-7
    assert (np.abs(c - exact) <= bound).all()
