"""tilewise.ops on numpy arrays: every function against double precision, over odd shapes and types, on both engines for host memory."""

import math

import numpy as np
import pytest

import tilewise
import tilewise.ops as ops

RANDOM = np.random.default_rng(20)
# What one rounding of a result of this type may lose, relative to it, and what fp32 sums inside may.
UNIT = {"float16": 2**-11, "float32": 2**-22, "float64": 2**-48}
FLOATS = list(UNIT)


def normal(*shape, dtype="float64", scale=1.0):
    return (RANDOM.standard_normal(shape) * scale).astype(dtype)


def wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


def assert_near(got, expected, dtype, factor=4, least=1.0):
    """|error| <= factor * unit * (|expected| + least): `least` is the size of what was added up to get there."""
    got = got.astype(np.float64)
    assert got.shape == expected.shape
    bound = factor * UNIT[dtype] * (np.abs(expected) + least)
    worst = np.max(np.abs(got - expected) / bound, initial=0)
    assert not np.isnan(got).any() and worst <= 1, f"{worst} times the bound"


erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x >= 0, x, 0.01 * x),
    "gelu": lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2))),
    "silu": lambda x: x * sigmoid(x),
    "none": lambda x: x,
}


def softmax(x):
    weight = np.exp(x - x.max(axis=-1, keepdims=True))
    return weight / weight.sum(axis=-1, keepdims=True)


def layer_norm(x, weight, bias, eps=float(np.float32(1e-5))):  # a float argument of a kernel is fp32
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * weight + bias


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5, 41), (8193,), (0,)])
def test_elementwise(host_engine, dtype, shape):
    x, y, z = (normal(*shape, dtype=dtype) for _ in range(3))
    z = (np.abs(z) + np.abs(x) * np.abs(y) + 0.1).astype(dtype)
    wide_x, wide_y, wide_z = wide(x, y, z)
    assert_near(ops.multiply_add_sqrt(x, y, z), np.sqrt(wide_x * wide_y + wide_z), dtype)
    for name in ("relu", "gelu", "silu"):
        assert_near(getattr(ops, name)(x), ACTIVATIONS[name](wide_x), dtype)
    assert_near(ops.leaky_relu(x, 0.125), np.where(wide_x >= 0, wide_x, 0.125 * wide_x), dtype)
    tanh = 0.5 * wide_x * (1 + np.tanh(math.sqrt(2 / math.pi) * (wide_x + 0.044715 * wide_x**3)))
    assert_near(ops.gelu(x, approximate="tanh"), tanh, dtype)
    assert_near(ops.swiglu(x, y), wide_x * sigmoid(wide_x) * wide_y, dtype)


def test_activations_of_extremes(host_engine):
    x = np.array([-3e38, -1e4, -90, -0.0, 0.0, 90, 1e4, 3e38], np.float32)
    for name in ("relu", "leaky_relu", "gelu", "silu"):
        assert_near(getattr(ops, name)(x) / 3e38, ACTIVATIONS[name](np.clip(x.astype(np.float64), -700, None) if name == "silu" else x.astype(np.float64)) / 3e38,
                    "float32")


def test_dropout(host_engine):
    x = np.ones(100_000, np.float32)
    y = ops.dropout(x, 0.3, seed=7)
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / (1 - np.float32(0.3)))}
    assert abs((y == 0).mean() - 0.3) < 0.01
    assert np.array_equal(y, ops.dropout(x, 0.3, seed=7)) and not np.array_equal(y, ops.dropout(x, 0.3, seed=8))


FILTERS = {
    "sharpen": [[0, -1, 0], [-1, 5, -1], [0, -1, 0]],
    "edges": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
    "sobel": [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]],
    "motion": np.eye(5) / 5,
    "gauss": np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256,
    "one row": [[0.25, 0.5, 0.25, 0.125]],
}


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("border", ["zero", "clamp"])
def test_filter2d(host_engine, name, border):
    weights = np.array(FILTERS[name], np.float32)
    x = RANDOM.random((2, 19, 150)).astype(np.float32)
    anchor = (weights.shape[0] // 2, weights.shape[1] // 2)
    expected = np.zeros(x.shape)
    mode = {"mode": "constant"} if border == "zero" else {"mode": "edge"}
    padded = np.pad(x.astype(np.float64), ((0, 0), (8, 8), (8, 8)), **mode)
    for dy in range(weights.shape[0]):
        for dx in range(weights.shape[1]):
            shifted = padded[:, 8 + dy - anchor[0]:, 8 + dx - anchor[1]:][:, :19, :150]
            expected += float(weights[dy, dx]) * shifted
    assert_near(ops.filter2d(x, weights, border), expected, "float32", least=16)
    at_corner = ops.filter2d(x, weights, border, anchor=(0, 0))
    assert at_corner.shape == x.shape and not np.array_equal(at_corner, ops.filter2d(x, weights, border))


def test_filter2d_of_bytes_saturates(host_engine):
    x = np.array([[0, 255, 255], [0, 255, 255]], np.uint8)
    assert np.array_equal(ops.filter2d(x, np.array([[-1, 2]], np.float32), anchor=(0, 1)), [[0, 255, 255], [0, 255, 255]])


def test_pictures(host_engine):
    x = RANDOM.random((3, 33, 129)).astype(np.float32)
    r, g, b = x.astype(np.float64)
    assert_near(ops.greyscale(x), 0.299 * r + 0.587 * g + 0.114 * b, "float32")
    mix = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])
    assert_near(ops.sepia(x), np.minimum(np.tensordot(mix, np.stack([r, g, b]), axes=1), 1), "float32")


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1), (5, 33), (2, 3, 100), (2, 17000)])
def test_softmax(host_engine, dtype, shape):
    x = normal(*shape, dtype=dtype, scale=4)
    assert_near(ops.softmax(x), softmax(*wide(x)), dtype, least=2**-13)


def test_softmax_along_another_dimension_and_with_infinities(host_engine):
    x = normal(4, 6, 5, dtype="float32")
    assert_near(ops.softmax(x, dim=1), softmax(x.astype(np.float64).swapaxes(1, 2)).swapaxes(1, 2), "float32")
    for columns in (100, 20000):  # one block, and the online form
        x = normal(3, columns, dtype="float32")
        x[:, : columns // 2] = -np.inf
        assert_near(ops.softmax(x), softmax(*wide(x)), "float32", least=2**-10)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(1, 1), (5, 33), (2, 3, 100), (2, 9000)])
def test_norms(host_engine, dtype, shape):
    x = normal(*shape, dtype=dtype)
    weight, bias = normal(shape[-1], dtype=dtype), normal(shape[-1], dtype=dtype)
    assert_near(ops.layer_norm(x, weight, bias), layer_norm(*wide(x, weight, bias)), dtype, factor=8, least=4)
    wide_x, wide_weight = wide(x, weight)
    expected = wide_x / np.sqrt((wide_x**2).mean(axis=-1, keepdims=True) + float(np.float32(1e-6))) * wide_weight
    assert_near(ops.rms_norm(x, weight), expected, dtype, factor=8)


def test_layer_norm_of_a_large_mean(host_engine):
    # The variance of x around 1000 is lost in E[x^2] - mean^2 of fp32; two walks keep it.
    x = normal(4, 333, dtype="float32") + np.float32(1000)
    one, zero = np.ones(333, np.float32), np.zeros(333, np.float32)
    assert np.allclose(ops.layer_norm(x, one, zero), layer_norm(*wide(x, one, zero)), atol=2e-4)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows, classes", [(1, 1), (7, 10), (3, 9000)])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_cross_entropy(host_engine, dtype, rows, classes, smoothing):
    x = normal(rows, classes, dtype=dtype, scale=3)
    target = RANDOM.integers(0, classes, rows)
    wide_x = x.astype(np.float64)
    logs = wide_x - np.log(np.exp(wide_x - wide_x.max(1, keepdims=True)).sum(1, keepdims=True)) - wide_x.max(1, keepdims=True)
    expected = -(1 - smoothing) * logs[np.arange(rows), target] - smoothing * logs.mean(1)
    sums = "float32" if dtype == "float16" else dtype
    # The smoothing itself comes as fp32.
    assert np.allclose(ops.cross_entropy(x, target, label_smoothing=smoothing, reduction="none"), expected, rtol=1e-6 if smoothing else 16 * UNIT[sums],
                       atol=2e-6 if dtype != "float64" else 1e-7 if smoothing else 1e-12)
    if rows > 1:
        target[0] = -100
        mean = ops.cross_entropy(x, target, label_smoothing=smoothing)
        assert np.isclose(mean, expected[1:].mean(), rtol=1e-5)


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_rotary(host_engine, interleaved, dtype):
    batch, tokens, heads, size = 2, 5, 3, 20
    x = normal(batch, tokens, heads, size, dtype=dtype)
    angle = np.outer(np.arange(tokens), 100.0 ** (-np.arange(size // 2) / (size // 2)))
    cos, sin = np.cos(angle).astype(dtype), np.sin(angle).astype(dtype)
    one, other = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, size // 2), slice(size // 2, None))
    wide_x, c, s = wide(x, cos[:, None, :], sin[:, None, :])
    expected = np.empty(x.shape)
    expected[..., one] = wide_x[..., one] * c - wide_x[..., other] * s
    expected[..., other] = wide_x[..., other] * c + wide_x[..., one] * s
    assert_near(ops.rotary(x, cos, sin, interleaved), expected, dtype)


@pytest.mark.parametrize("what, message", [
    (lambda: ops.softmax(np.ones((2, 2), np.int32)), "softmax: 'x' is int32; fp16, bf16, fp32 or fp64 is needed"),
    (lambda: ops.softmax(np.float32(1).reshape(())), "softmax: x of shape [] has no dimension -1"),
    (lambda: ops.layer_norm(np.ones((2, 3), np.float32), np.ones(2, np.float32), np.ones(3, np.float32)), "layer_norm: 'weight' must have shape [3], got [2]"),
    (lambda: ops.swiglu(np.ones(3, np.float32), np.ones(4, np.float32)), "swiglu: 'up' has shape [4], but 'gate' has [3]"),
    (lambda: ops.swiglu(np.ones(3, np.float32), np.ones(3)), "swiglu: 'up' is float64, but 'gate' is float32"),
    (lambda: ops.matmul(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32)), "matmul: a must be M x K and b K x N, got [2, 3] and [2, 3]"),
    (lambda: ops.dropout(np.ones(3, np.float32), 1.0, 0), "dropout: p is the share that is dropped, from 0 to below 1; got 1.0"),
    (lambda: ops.cross_entropy(np.ones((1, 3), np.float32), np.array([3])), "cross_entropy: a target is outside of 0 to 2"),
    (lambda: ops.relu([1.0]), "activation: 'x' is a list; a torch tensor or a numpy array is needed"),
    (lambda: ops.attention(*(np.ones((1, heads, 4, 8), np.float32) for heads in (3, 2, 2))),
     "attention: the heads of q (3) must be a multiple of those of k and v (2)"),
])
def test_what_does_not_fit_is_told(what, message):
    with pytest.raises(ValueError) as error:
        what()
    assert str(error.value) == message


def test_the_library_is_inside():
    with pytest.raises(ValueError, match="the kernel library has no file 'nothing.py'"):
        tilewise._native.library_source("nothing.py")
