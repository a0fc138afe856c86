"""The library as operators of torch: torch.ops.tilewise.*, with shapes for torch.compile and gradients for autograd.

Each operator is registered once: what it launches, what shapes it gives (for tracing without data), and how gradients flow. Importing this file does
it; `tilewise.ops` imports it when it meets the first torch tensor."""

from typing import Optional, Tuple

import torch
from torch import Tensor

from . import attend as _attention, elementwise, matrices, rows
from .plain import is_plain

_registered = {}


def _op(name, launch, fake):
    """torch.ops.tilewise.NAME: `launch` runs it, `fake` makes results of the right shapes without values. Its signature is `launch`'s. What is given calls it,
    or launches at once where that is all that the operator would do."""
    made = torch.library.custom_op(f"tilewise::{name}", launch, mutates_args=())
    made.register_fake(fake)
    _registered[name] = made

    def call(*arguments):
        if not torch.compiler.is_compiling() and is_plain(arguments):
            return launch(*arguments)
        return made(*arguments)

    call.operator = made
    return call


def _gradient(op, backward, keep):
    """`keep(ctx, inputs, output)` keeps what `backward(ctx, *grads)` needs."""
    torch.library.register_autograd(op.operator._opoverload, backward, setup_context=keep)


def _like(x, *_):
    return torch.empty(x.shape, dtype=x.dtype, device=x.device)


def _wide(x, shape):
    return torch.empty(shape, dtype=torch.float64 if x.dtype == torch.float64 else torch.float32, device=x.device)


# Elementwise


def _multiply_add_sqrt(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return elementwise.multiply_add_sqrt(a, b, c)


multiply_add_sqrt = _op("multiply_add_sqrt", _multiply_add_sqrt, _like)


def _multiply_add_sqrt_backward(ctx, dy):
    a, b, y = ctx.saved_tensors
    g = dy / (2 * y)
    return g * b, g * a, g


_gradient(multiply_add_sqrt, _multiply_add_sqrt_backward,
          lambda ctx, inputs, output: ctx.save_for_backward(inputs[0], inputs[1], output))


def _activation(x: Tensor, kind: str, slope: float) -> Tensor:
    return elementwise.activation(x, kind, slope)


def _activation_backward(x: Tensor, dy: Tensor, kind: str, slope: float) -> Tensor:
    return elementwise.activation_backward(x, dy, kind, slope)


def _keep_activation(ctx, inputs, output):
    x, ctx.kind, ctx.slope = inputs
    ctx.save_for_backward(x)


activation = _op("activation", _activation, _like)
activation_backward = _op("activation_backward", _activation_backward, _like)
_gradient(activation, lambda ctx, dy: (activation_backward(*ctx.saved_tensors, dy, ctx.kind, ctx.slope), None, None), _keep_activation)


def _swiglu(gate: Tensor, up: Tensor) -> Tensor:
    return elementwise.swiglu(gate, up)


def _swiglu_backward(gate: Tensor, up: Tensor, dout: Tensor) -> Tuple[Tensor, Tensor]:
    return elementwise.swiglu_backward(gate, up, dout)


swiglu = _op("swiglu", _swiglu, _like)
swiglu_backward = _op("swiglu_backward", _swiglu_backward, lambda gate, up, dout: (_like(gate), _like(up)))
_gradient(swiglu, lambda ctx, dout: swiglu_backward(*ctx.saved_tensors, dout), lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def _dropout(x: Tensor, p: float, seed: int) -> Tensor:
    return elementwise.dropout(x, p, seed)


def _keep_dropout(ctx, inputs, output):
    _, ctx.p, ctx.seed = inputs


dropout = _op("dropout", _dropout, _like)
# The same seed drops the same elements of the gradient.
_gradient(dropout, lambda ctx, dy: (dropout(dy, ctx.p, ctx.seed), None, None), _keep_dropout)


def _rotary(x: Tensor, cos: Tensor, sin: Tensor, interleaved: bool, backward: bool) -> Tensor:
    return elementwise.rotary(x, cos, sin, interleaved, backward)


def _keep_rotary(ctx, inputs, output):
    _, cos, sin, ctx.interleaved, ctx.backward = inputs
    ctx.save_for_backward(cos, sin)


rotary = _op("rotary", _rotary, _like)
_gradient(rotary, lambda ctx, dy: (rotary(dy, *ctx.saved_tensors, ctx.interleaved, not ctx.backward), None, None, None, None), _keep_rotary)


def _greyscale(x: Tensor) -> Tensor:
    return elementwise.greyscale(x)


def _sepia(x: Tensor) -> Tensor:
    return elementwise.sepia(x)


def _filter2d(x: Tensor, weights: Tensor, border: str, anchor_y: int, anchor_x: int) -> Tensor:
    return elementwise.filter2d(x, weights, border, anchor_y, anchor_x)


greyscale = _op("greyscale", _greyscale, lambda x: x.new_empty(x.shape[1:]))
sepia = _op("sepia", _sepia, _like)
filter2d = _op("filter2d", _filter2d, _like)


# Rows


def _softmax(x: Tensor) -> Tensor:
    return rows.softmax(x)


def _softmax_backward(y: Tensor, dy: Tensor) -> Tensor:
    return rows.softmax_backward(y, dy)


softmax = _op("softmax", _softmax, _like)
softmax_backward = _op("softmax_backward", _softmax_backward, _like)
_gradient(softmax, lambda ctx, dy: softmax_backward(*ctx.saved_tensors, dy), lambda ctx, inputs, output: ctx.save_for_backward(output))


def _layer_norm(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
    return rows.layer_norm(x, weight, bias, eps)


def _layer_norm_backward(x: Tensor, dy: Tensor, weight: Tensor, mean: Tensor, rstd: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    return rows.layer_norm_backward(x, dy, weight, mean, rstd)


def _rows_shape(x):
    return (x.numel() // x.shape[-1],)


def _keep_layer_norm(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], inputs[1], output[1], output[2])


def _layer_norm_gradient(ctx, dy, _mean, _rstd):
    x, weight, mean, rstd = ctx.saved_tensors
    return *layer_norm_backward(x, dy, weight, mean, rstd), None


layer_norm = _op("layer_norm", _layer_norm, lambda x, weight, bias, eps: (_like(x), _wide(x, _rows_shape(x)), _wide(x, _rows_shape(x))))
layer_norm_backward = _op("layer_norm_backward", _layer_norm_backward,
                          lambda x, dy, weight, mean, rstd: (_like(x), _like(weight), _like(weight)))
_gradient(layer_norm, _layer_norm_gradient, _keep_layer_norm)


def _rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tuple[Tensor, Tensor]:
    return rows.rms_norm(x, weight, eps)


def _rms_norm_backward(x: Tensor, dy: Tensor, weight: Tensor, rstd: Tensor) -> Tuple[Tensor, Tensor]:
    return rows.rms_norm_backward(x, dy, weight, rstd)


def _rms_norm_gradient(ctx, dy, _rstd):
    x, weight, rstd = ctx.saved_tensors
    return *rms_norm_backward(x, dy, weight, rstd), None


rms_norm = _op("rms_norm", _rms_norm, lambda x, weight, eps: (_like(x), _wide(x, _rows_shape(x))))
rms_norm_backward = _op("rms_norm_backward", _rms_norm_backward, lambda x, dy, weight, rstd: (_like(x), _like(weight)))
_gradient(rms_norm, _rms_norm_gradient, lambda ctx, inputs, output: ctx.save_for_backward(inputs[0], inputs[1], output[1]))


def _cross_entropy(logits: Tensor, target: Tensor, ignored: int, smoothing: float) -> Tuple[Tensor, Tensor]:
    return rows.cross_entropy(logits, target, ignored, smoothing)


def _cross_entropy_backward(logits: Tensor, target: Tensor, lse: Tensor, dloss: Tensor, ignored: int, smoothing: float) -> Tensor:
    return rows.cross_entropy_backward(logits, target, lse, dloss, ignored, smoothing)


def _keep_cross_entropy(ctx, inputs, output):
    logits, target, ctx.ignored, ctx.smoothing = inputs
    ctx.save_for_backward(logits, target, output[1])


def _cross_entropy_gradient(ctx, dloss, _lse):
    return cross_entropy_backward(*ctx.saved_tensors, dloss, ctx.ignored, ctx.smoothing), None, None, None


cross_entropy = _op("cross_entropy", _cross_entropy, lambda logits, *_: (_wide(logits, logits.shape[:1]), _wide(logits, logits.shape[:1])))
cross_entropy_backward = _op("cross_entropy_backward", _cross_entropy_backward, _like)
_gradient(cross_entropy, _cross_entropy_gradient, _keep_cross_entropy)


# Matrices


def _linear(x: Tensor, weight: Tensor, bias: Optional[Tensor], activation: str) -> Tensor:
    return matrices.linear(x, weight, bias, activation)


def _keep_linear(ctx, inputs, output):
    x, weight, bias, ctx.activation = inputs
    ctx.has_bias = bias is not None
    ctx.save_for_backward(x, weight, bias)


def _through_linear(x, weight, dz):
    """Gradients of x and weight of z = x @ weight^T."""
    flat, flat_dz = x.reshape(-1, x.shape[-1]), dz.reshape(-1, dz.shape[-1])
    return matmul(flat_dz, weight).reshape(x.shape), matmul(flat_dz.t(), flat)


def _linear_gradient(ctx, dy):
    x, weight, bias = ctx.saved_tensors
    if ctx.activation != "none":
        # What the activation saw is computed again rather than kept: a product instead of a matrix in memory.
        dy = activation_backward(linear(x, weight, bias, "none"), dy, ctx.activation, 0.01)
    dx, dweight = _through_linear(x, weight, dy)
    return dx, dweight, dy.reshape(-1, dy.shape[-1]).sum(0) if ctx.has_bias else None, None


linear = _op("linear", _linear, lambda x, weight, bias, activation: x.new_empty((*x.shape[:-1], weight.shape[0])))
_gradient(linear, _linear_gradient, _keep_linear)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    return matrices.matmul(a, b)


def _matmul_shape(a, b):
    if a.dim() == 2:
        return a.new_empty((a.shape[0], b.shape[1]))
    return a.new_empty((b.shape[0] if a.shape[0] == 1 else a.shape[0], a.shape[1], b.shape[2]))


def _matmul_gradient(ctx, dc):
    a, b = ctx.saved_tensors
    da, db = matmul(dc, b.transpose(-1, -2)), matmul(a.transpose(-1, -2), dc)
    if a.dim() == 3:
        da = da.sum(0, keepdim=True) if a.shape[0] == 1 and da.shape[0] != 1 else da
        db = db.sum(0, keepdim=True) if b.shape[0] == 1 and db.shape[0] != 1 else db
    return da, db


matmul = _op("matmul", _matmul, _matmul_shape)
_gradient(matmul, _matmul_gradient, lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def _matmul_grouped(a: Tensor, b: Tensor, start: Tensor) -> Tensor:
    return matrices.matmul_grouped(a, b, start)


def _matmul_grouped_weights(a: Tensor, dc: Tensor, start: Tensor) -> Tensor:
    bounds = start.tolist()
    db = a.new_empty((len(bounds) - 1, a.shape[1], dc.shape[1]))
    for group, (first, end) in enumerate(zip(bounds, bounds[1:])):
        if end > first:
            db[group] = matrices.matmul(a[first:end].t(), dc[first:end])
        else:
            db[group].zero_()
    return db


matmul_grouped = _op("matmul_grouped", _matmul_grouped, lambda a, b, start: a.new_empty((a.shape[0], b.shape[2])))
matmul_grouped_weights = _op("matmul_grouped_weights", _matmul_grouped_weights,
                             lambda a, dc, start: a.new_empty((start.shape[0] - 1, a.shape[1], dc.shape[1])))


def _matmul_grouped_gradient(ctx, dc):
    a, b, start = ctx.saved_tensors
    return matmul_grouped(dc, b.transpose(1, 2), start), matmul_grouped_weights(a, dc, start), None


_gradient(matmul_grouped, _matmul_grouped_gradient, lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def _matmul_split_k(a: Tensor, b: Tensor, splits: int) -> Tensor:
    return matrices.matmul_split_k(a, b, splits)


matmul_split_k = _op("matmul_split_k", _matmul_split_k, lambda a, b, splits: a.new_empty((a.shape[0], b.shape[1])))
_gradient(matmul_split_k, lambda ctx, dc: (*_matmul_gradient(ctx, dc), None), lambda ctx, inputs, output: ctx.save_for_backward(*inputs[:2]))


def _matmul_int8(a: Tensor, b: Tensor, scale: Tensor, a_scale: Optional[Tensor]) -> Tensor:
    return matrices.matmul_int8(a, b, scale, a_scale)


def _matmul_int4(a: Tensor, packed: Tensor, scale: Tensor, zero: Tensor, group: int) -> Tensor:
    return matrices.matmul_int4(a, packed, scale, zero, group)


matmul_int8 = _op("matmul_int8", _matmul_int8, lambda a, b, scale, a_scale: a.new_empty(
    (a.shape[0], b.shape[1]), dtype=a.dtype if a_scale is None else torch.float32))
matmul_int4 = _op("matmul_int4", _matmul_int4, lambda a, packed, scale, zero, group: a.new_empty((a.shape[0], packed.shape[1])))


def _norm_linear(x: Tensor, norm_weight: Tensor, norm_bias: Tensor, weight: Tensor, bias: Tensor, eps: float, activation: str, p: float,
                 seed: int) -> Tensor:
    return matrices.norm_linear(x, norm_weight, norm_bias, weight, bias, eps, activation, p, seed)


def _keep_norm_linear(ctx, inputs, output):
    *tensors, ctx.eps, ctx.activation, ctx.p, ctx.seed = inputs
    ctx.save_for_backward(*tensors)


def _norm_linear_gradient(ctx, dy):
    x, norm_weight, norm_bias, weight, bias = ctx.saved_tensors
    normal, mean, rstd = layer_norm(x, norm_weight, norm_bias, ctx.eps)
    if ctx.p > 0:
        dy = dropout(dy.contiguous(), ctx.p, ctx.seed)
    if ctx.activation != "none":
        dy = activation_backward(linear(normal, weight, bias, "none"), dy, ctx.activation, 0.01)
    dnormal, dweight = _through_linear(normal, weight, dy)
    dx, dnorm_weight, dnorm_bias = layer_norm_backward(x, dnormal, norm_weight, mean, rstd)
    return dx, dnorm_weight, dnorm_bias, dweight, dy.reshape(-1, dy.shape[-1]).sum(0), None, None, None, None


norm_linear = _op("norm_linear", _norm_linear, lambda x, nw, nb, weight, *_: x.new_empty((*x.shape[:-1], weight.shape[0])))
_gradient(norm_linear, _norm_linear_gradient, _keep_norm_linear)


# Attention


def _attend(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float) -> Tuple[Tensor, Tensor]:
    return _attention.attention(q, k, v, causal, scale)


def _attend_backward(q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, dout: Tensor, causal: bool,
                     scale: float) -> Tuple[Tensor, Tensor, Tensor]:
    return _attention.attention_backward(q, k, v, out, lse, dout, causal, scale)


def _keep_attention(ctx, inputs, output):
    q, k, v, ctx.causal, ctx.scale = inputs
    ctx.save_for_backward(q, k, v, *output)


def _attention_gradient(ctx, dout, _lse):
    return *attention_backward(*ctx.saved_tensors, dout, ctx.causal, ctx.scale), None, None


attention = _op("attention", _attend, lambda q, k, v, causal, scale: (_like(q), _wide(q, q.shape[:3])))
attention_backward = _op("attention_backward", _attend_backward, lambda q, k, v, *_: (_like(q), _like(k), _like(v)))
_gradient(attention, _attention_gradient, _keep_attention)
