"""Matrix products and attention of tilewise.ops on numpy arrays, against double precision, on both engines for host memory."""

import numpy as np
import pytest
from test_ops import ACTIVATIONS, UNIT, assert_near, layer_norm, normal, softmax, wide

import tilewise.ops as ops

RANDOM = np.random.default_rng(21)
FLOATS = ["float16", "float32", "float64"]


def assert_product(got, a, b, dtype, extra=0.0, expected=None):
    """The bound of a sum of products in fp32 (fp64), then one rounding to the result's type."""
    wide_a, wide_b = wide(a, b)
    exact = wide_a @ wide_b if expected is None else expected
    sums = 2**-24 if dtype != "float64" else 2**-53
    bound = 2 * a.shape[-1] * sums * (np.abs(wide_a) @ np.abs(wide_b)) + 2 * UNIT[dtype] * np.abs(exact) + extra + 1e-12
    assert got.shape == exact.shape and (np.abs(got.astype(np.float64) - exact) <= bound).all()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (33, 65, 47), (130, 20, 300)])
def test_linear(host_engine, dtype, m, n, k):
    x, weight, bias = normal(m, k, dtype=dtype), normal(n, k, dtype=dtype), normal(n, dtype=dtype)
    assert_product(ops.linear(x, weight), x, weight.T, dtype)
    plain = x.astype(np.float64) @ weight.T.astype(np.float64) + bias.astype(np.float64)
    for activation in ("none", "relu", "leaky_relu", "gelu", "silu"):
        got = ops.linear(x, weight, bias, activation)
        # No activation is steeper than 1.13.
        assert_product(got, x, weight.T, dtype, extra=4 * UNIT[dtype] * 4, expected=ACTIVATIONS[activation](plain))


def test_linear_keeps_leading_dimensions(host_engine):
    x, weight = normal(2, 3, 17, dtype="float32"), normal(5, 17, dtype="float32")
    assert_near(ops.linear(x, weight), x.astype(np.float64) @ weight.T.astype(np.float64), "float32", factor=32)


@pytest.mark.parametrize("dtype", FLOATS)
def test_matmul(host_engine, dtype):
    a, b = normal(40, 70, dtype=dtype), normal(30, 70, dtype=dtype).T  # any strides
    assert_product(ops.matmul(a, b), a, b, dtype)
    a, b = normal(3, 40, 70, dtype=dtype), normal(3, 70, 30, dtype=dtype)
    assert_product(ops.matmul(a, b), a, b, dtype)
    assert_product(ops.matmul(a, b[:1]), a, b[:1], dtype)
    assert_product(ops.matmul(a[:1], b), a[:1], b, dtype)
    assert ops.matmul(normal(0, 4, dtype=dtype), normal(4, 3, dtype=dtype)).shape == (0, 3)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("start", [[0, 10, 10, 75, 80], [0, 80], [0, 0, 0, 80]])
@pytest.mark.parametrize("whole", ["int32", "int64"])
def test_matmul_grouped(host_engine, dtype, start, whole):
    a, b = normal(80, 33, dtype=dtype), normal(len(start) - 1, 33, 50, dtype=dtype)
    got = ops.matmul_grouped(a, b, np.array(start, whole))
    for group, (first, end) in enumerate(zip(start, start[1:])):
        assert_product(got[first:end], a[first:end], b[group], dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("splits", [1, 3, 8])
def test_matmul_split_k(host_engine, dtype, splits):
    a, b = normal(17, 1000, dtype=dtype), normal(1000, 20, dtype=dtype)
    assert_product(ops.matmul_split_k(a, b, splits), a, b, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_matmul_int8(host_engine, dtype):
    a, weight = normal(19, 100, dtype=dtype), normal(100, 40)
    whole, scale = ops.quantize_int8(weight)
    assert whole.dtype == np.int8 and np.abs(whole * scale - weight).max() <= scale.max() / 2 + 1e-6
    scaled = whole.astype(np.float64) * scale
    assert_product(ops.matmul_int8(a, whole, scale), a, scaled, dtype)
    left, left_scale = ops.quantize_int8(a.T)
    got = ops.matmul_int8(np.ascontiguousarray(left.T), whole, scale, left_scale)
    assert np.allclose(got, (left.astype(np.float64) * left_scale).T @ scaled, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("k, group", [(64, 32), (300, 128), (130, 64)])
def test_matmul_int4(host_engine, dtype, k, group):
    a, weight = normal(19, k, dtype=dtype), normal(k, 40)
    packed, scale, zero = ops.quantize_int4(weight, group)
    assert packed.shape == (k // 2, 40) and scale.shape == zero.shape == (-(-k // group), 40)
    nibbles = np.empty((k, 40))
    nibbles[0::2], nibbles[1::2] = packed & 15, packed >> 4
    groups = np.arange(k) // group
    meant = (nibbles - zero[groups]) * scale[groups]
    assert np.abs(meant - weight).max() <= scale.max() * 0.51 + 0.5 * scale.max()
    # In fp16 the weights themselves are rounded on the way to the dot.
    assert_product(ops.matmul_int4(a, packed, scale, zero, group), a, meant, dtype, extra=UNIT[dtype] * (np.abs(a.astype(np.float64)) @ np.abs(meant)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("rows, columns, outputs", [(1, 16, 1), (37, 100, 70)])
def test_norm_linear(host_engine, dtype, rows, columns, outputs):
    x, weight, bias = normal(rows, columns, dtype=dtype), normal(outputs, columns, dtype=dtype), normal(outputs, dtype=dtype)
    norm_weight, norm_bias = normal(columns, dtype=dtype), normal(columns, dtype=dtype)
    wide_x, wide_weight, wide_bias, wide_nw, wide_nb = wide(x, weight, bias, norm_weight, norm_bias)
    inner = layer_norm(wide_x, wide_nw, wide_nb)
    expected = inner @ wide_weight.T + wide_bias
    # What is multiplied has been rounded once to the type.
    extra = 4 * UNIT[dtype] * (np.abs(inner) @ np.abs(wide_weight.T) + 1)
    assert_product(ops.norm_linear(x, norm_weight, norm_bias, weight, bias), inner, wide_weight.T, dtype, extra, expected)
    got = ops.norm_linear(x, norm_weight, norm_bias, weight, bias, activation="gelu")
    assert_product(got, inner, wide_weight.T, dtype, 2 * extra, ACTIVATIONS["gelu"](expected))
    dropped = ops.norm_linear(x, norm_weight, norm_bias, weight, bias, activation="gelu", p=0.4, seed=11)
    mask = ops.dropout(np.ones(got.shape, dtype), 0.4, 11)
    assert np.array_equal(dropped == 0, (mask == 0) | (got == 0))
    assert np.allclose(dropped, got.astype(np.float64) * mask, rtol=4e-3 if dtype == "float16" else 1e-6, atol=1e-3 if dtype == "float16" else 1e-7)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("heads, shared, queries, keys, head", [(2, 2, 5, 5, 8), (4, 2, 70, 130, 40), (2, 1, 33, 17, 64), (1, 1, 20, 20, 256), (1, 1, 1, 9, 1)])
@pytest.mark.parametrize("causal", [False, True])
def test_attention(host_engine, dtype, heads, shared, queries, keys, head, causal):
    q, k, v = normal(2, heads, queries, head, dtype=dtype), normal(2, shared, keys, head, dtype=dtype), normal(2, shared, keys, head, dtype=dtype)
    wide_q, wide_k, wide_v = wide(q, k.repeat(heads // shared, 1), v.repeat(heads // shared, 1))
    scores = wide_q @ wide_k.swapaxes(-1, -2) * head**-0.5
    if causal:
        scores[..., np.arange(queries)[:, None] < np.arange(keys)[None, :]] = -np.inf
    expected = softmax(scores) @ wide_v
    # fp16: the weights are rounded before they multiply. fp64: the scale comes as fp32.
    bound = {"float16": 2e-3, "float32": 4e-6, "float64": 1e-7}[dtype]
    assert np.allclose(ops.attention(q, k, v, causal), expected, rtol=bound, atol=bound)


def test_attention_of_transposed_tensors(host_engine):
    q, k, v = (normal(2, 33, 3, 24, dtype="float32").swapaxes(1, 2) for _ in range(3))
    got = ops.attention(q, k, v)
    assert np.array_equal(got, ops.attention(*(np.ascontiguousarray(each) for each in (q, k, v))))
