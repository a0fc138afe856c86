"""Weights of 8 and 4 bits out of floats, in the form that matmul_int8 and matmul_int4 take."""

from .arrays import check, contiguous, is_torch, shape_text


def _where(x):
    """The module whose functions go with the array."""
    if is_torch(x):
        import torch
        return torch
    import numpy
    return numpy


def quantize_int8(weight):
    """(int8, scale) of a K x N matrix: a scale per column, so that its largest value becomes 127."""
    check("quantize_int8", len(weight.shape) == 2, lambda: f"weight must be K x N, got {shape_text(weight)}")
    module = _where(weight)
    wide = weight.float() if is_torch(weight) else weight.astype("float32")
    scale = (abs(wide).max(0).values if is_torch(weight) else abs(wide).max(0)) / 127
    scale = module.where(scale == 0, module.ones_like(scale), scale)
    whole = module.clip(module.round(wide / scale), -127, 127)
    return (whole.to(module.int8) if is_torch(weight) else whole.astype("int8")), scale


def quantize_int4(weight, group=128):
    """(packed, scale, zero) of a K x N matrix: weights of 4 bits in pairs along K, and for each `group` of them along K a scale and a zero point."""
    check("quantize_int4", len(weight.shape) == 2 and weight.shape[0] % 2 == 0, lambda: f"weight must be K x N with an even K, got {shape_text(weight)}")
    module = _where(weight)
    wide = weight.float() if is_torch(weight) else weight.astype("float32")
    k, n = wide.shape
    scales, zeros, nibbles = [], [], []
    for first in range(0, k, group):
        part = wide[first:first + group]
        low, high = (part.amin(0), part.amax(0)) if is_torch(weight) else (part.min(0), part.max(0))
        scale = (high - low) / 15
        scale = module.where(scale == 0, module.ones_like(scale), scale)
        zero = module.round(-low / scale)
        scales.append(scale)
        zeros.append(zero)
        nibbles.append(module.clip(module.round(part / scale) + zero, 0, 15))
    whole = module.cat(nibbles) if is_torch(weight) else module.concatenate(nibbles)
    whole = whole.to(module.uint8) if is_torch(weight) else whole.astype("uint8")
    return contiguous(whole[0::2] | (whole[1::2] << 4)), module.stack(scales), module.stack(zeros)
