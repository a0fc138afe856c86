"""The kernel library as functions: on torch tensors (CPU or GPU, with gradients, inside torch.compile) and on numpy arrays (forward).

    import tilewise.ops as ops
    y = ops.softmax(x)                                # also torch.ops.tilewise.softmax
    y = ops.attention(q, k, v, causal=True)

Every function allocates its result, checks shapes and types, and raises ValueError with the function's name when they do not fit."""

import sys

from . import attend as _attention, elementwise as _elementwise, matrices as _matrices, rows as _rows
from .arrays import check as _check, is_torch as _is_torch, shape_text as _shape_text
from .quantize import quantize_int4, quantize_int8

if "torch" in sys.modules:
    from . import torch_ops as _torch_ops  # noqa: F401 (so that torch.ops.tilewise is there)


def _ops():
    from . import torch_ops
    return torch_ops


def multiply_add_sqrt(a, b, c):
    """sqrt(a * b + c), element by element."""
    return _ops().multiply_add_sqrt(a, b, c) if _is_torch(a) else _elementwise.multiply_add_sqrt(a, b, c)


def _activate(x, kind, slope=0.01):
    return _ops().activation(x, kind, slope) if _is_torch(x) else _elementwise.activation(x, kind, slope)


def relu(x):
    """max(x, 0)"""
    return _activate(x, "relu")


def leaky_relu(x, slope=0.01):
    """x where it is positive, slope * x elsewhere."""
    return _activate(x, "leaky_relu", float(slope))


def gelu(x, approximate="none"):
    """x times the share of a normal distribution below x; approximate="tanh" is the older formula."""
    _check("gelu", approximate in ("none", "tanh"), lambda: f"approximate is none or tanh, got '{approximate}'")
    return _activate(x, "gelu" if approximate == "none" else "gelu_tanh")


def silu(x):
    """x * sigmoid(x)"""
    return _activate(x, "silu")


def swiglu(gate, up):
    """silu(gate) * up"""
    return _ops().swiglu(gate, up) if _is_torch(gate) else _elementwise.swiglu(gate, up)


def dropout(x, p, seed):
    """Each element 0 with probability p, else x / (1 - p). The seed decides which: the same one drops the same elements."""
    return _ops().dropout(x, float(p), int(seed)) if _is_torch(x) else _elementwise.dropout(x, p, seed)


def rotary(x, cos, sin, interleaved=False):
    """Rotary position embedding of batch x tokens x heads x size; cos and sin are tokens x (size / 2)."""
    return _ops().rotary(x, cos, sin, interleaved, False) if _is_torch(x) else _elementwise.rotary(x, cos, sin, interleaved, False)


def greyscale(x):
    """3 x height x width -> height x width, by luminosity."""
    return _ops().greyscale(x) if _is_torch(x) else _elementwise.greyscale(x)


def sepia(x):
    """3 x height x width with values from 0 to 1 -> the same shape, in sepia."""
    return _ops().sepia(x) if _is_torch(x) else _elementwise.sepia(x)


def filter2d(x, weights, border="zero", anchor=None):
    """A weighted sum around each pixel of each plane (the last two dimensions). The anchor (row, column) is the weight that falls on the pixel itself,
    the middle one when it is not given; border is what lies outside: "zero" or "clamp"."""
    anchor_y, anchor_x = (-1, -1) if anchor is None else anchor
    if _is_torch(x):
        return _ops().filter2d(x, weights, border, anchor_y, anchor_x)
    return _elementwise.filter2d(x, weights, border, anchor_y, anchor_x)


def softmax(x, dim=-1):
    """exp(x) / sum(exp(x)) along a dimension of any length."""
    last = len(x.shape) - 1
    _check("softmax", -last - 1 <= dim <= last, lambda: f"x of shape {_shape_text(x)} has no dimension {dim}")
    if dim not in (-1, last):
        return softmax(x.swapaxes(dim, -1)).swapaxes(dim, -1)
    return _ops().softmax(x) if _is_torch(x) else _rows.softmax(x)


def layer_norm(x, weight, bias, eps=1e-5):
    """(x - mean) / sqrt(variance + eps) * weight + bias along the last dimension."""
    return (_ops().layer_norm(x, weight, bias, float(eps)) if _is_torch(x) else _rows.layer_norm(x, weight, bias, eps))[0]


def rms_norm(x, weight, eps=1e-6):
    """x / sqrt(mean(x^2) + eps) * weight along the last dimension."""
    return (_ops().rms_norm(x, weight, float(eps)) if _is_torch(x) else _rows.rms_norm(x, weight, eps))[0]


def cross_entropy(logits, target, ignore_index=-100, label_smoothing=0.0, reduction="mean"):
    """-log(softmax(logits)[target]) of rows x classes; reduction is mean (over rows that count), sum or none."""
    _check("cross_entropy", reduction in ("mean", "sum", "none"), lambda: f"reduction is mean, sum or none, got '{reduction}'")
    if _is_torch(logits):
        loss, _ = _ops().cross_entropy(logits, target, int(ignore_index), float(label_smoothing))
    else:
        loss, _ = _rows.cross_entropy(logits, target, ignore_index, label_smoothing)
    if reduction == "none":
        return loss
    return loss.sum() if reduction == "sum" else loss.sum() / (target != ignore_index).sum()


def linear(x, weight, bias=None, activation="none"):
    """activation(x @ weight^T + bias) in one kernel; weight is outputs x inputs; activation none, relu, leaky_relu, gelu or silu."""
    return _ops().linear(x, weight, bias, activation) if _is_torch(x) else _matrices.linear(x, weight, bias, activation)


def matmul(a, b):
    """a @ b of two matrices, or of batches of them (batch x M x K and batch x K x N, where a batch of 1 serves all)."""
    return _ops().matmul(a, b) if _is_torch(a) else _matrices.matmul(a, b)


def matmul_grouped(a, b, start):
    """Rows start[g] to start[g + 1] of a (rows x K) times b[g] (groups x K x N), in one launch."""
    return _ops().matmul_grouped(a, b, start) if _is_torch(a) else _matrices.matmul_grouped(a, b, start)


def matmul_split_k(a, b, splits=8):
    """a @ b for a long K and a small result: `splits` programs share each tile."""
    return _ops().matmul_split_k(a, b, int(splits)) if _is_torch(a) else _matrices.matmul_split_k(a, b, splits)


def matmul_int8(a, b, scale, a_scale=None):
    """a @ (b * scale) with int8 weights b and a scale per column; with a_scale, a scale per row of an int8 a, too."""
    return _ops().matmul_int8(a, b, scale, a_scale) if _is_torch(a) else _matrices.matmul_int8(a, b, scale, a_scale)


def matmul_int4(a, packed, scale, zero, group):
    """a @ weights of 4 bits, as quantize_int4 makes them."""
    return _ops().matmul_int4(a, packed, scale, zero, int(group)) if _is_torch(a) else _matrices.matmul_int4(a, packed, scale, zero, group)


def norm_linear(x, norm_weight, norm_bias, weight, bias, eps=1e-5, activation="none", p=0.0, seed=0):
    """dropout(activation(layer_norm(x) @ weight^T + bias)) in one kernel; activation none or gelu."""
    if _is_torch(x):
        return _ops().norm_linear(x, norm_weight, norm_bias, weight, bias, float(eps), activation, float(p), int(seed))
    return _matrices.norm_linear(x, norm_weight, norm_bias, weight, bias, eps, activation, p, seed)


def attention(q, k, v, causal=False, scale=None):
    """softmax(q @ k^T * scale) @ v for batch x heads x tokens x size, without ever holding the scores. k and v may have fewer heads than q (grouped
    queries). Causal: query i sees keys 0 to i. The scale is 1 / sqrt(size) unless given."""
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return (_ops().attention(q, k, v, causal, scale) if _is_torch(q) else _attention.attention(q, k, v, causal, scale))[0]


__all__ = ["attention", "cross_entropy", "dropout", "filter2d", "gelu", "greyscale", "layer_norm", "leaky_relu", "linear", "matmul", "matmul_grouped",
           "matmul_int4", "matmul_int8", "matmul_split_k", "multiply_add_sqrt", "norm_linear", "quantize_int4", "quantize_int8", "relu", "rms_norm",
           "rotary", "sepia", "silu", "softmax", "swiglu"]
