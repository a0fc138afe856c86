# The language's functions that need no op of their own, in the language itself.
import triton
import triton.language as tl


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _smaller(a, b):
    return tl.minimum(a, b)


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _xor(a, b):
    return a ^ b


@triton.jit
def _or(a, b):
    return a | b


# Extrema are taken in at least 32 bits: half floats and small ints would cost conversions in every step.
@triton.jit
def _widened(x):
    if x.dtype.is_floating():
        if x.dtype.primitive_bitwidth < 32:
            return x.to(tl.float32)
        return x
    if x.dtype.primitive_bitwidth < 32:
        return x.to(tl.int32)
    return x


# bfloat16 has no comparison of its own on most machines.
@triton.jit
def _comparable(x):
    if x.dtype.is_bf16():
        return x.to(tl.float32)
    return x


# Each element's position along the axis, in x's shape.
@triton.jit
def _positions(x, axis: tl.constexpr):
    rank: tl.constexpr = len(x.shape)
    at: tl.constexpr = axis if axis >= 0 else axis + rank
    tl.static_assert(0 <= at and at < rank, "the axis is outside the block's rank")
    line = tl.arange(0, x.shape[at])
    return tl.broadcast_to(tl.expand_dims(line, [d for d in range(rank) if d != at]), x.shape)


@triton.jit
def _larger_first(a, i, b, j):
    keep = (a > b) | ((a == b) & (i < j))
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def _larger_any(a, i, b, j):
    keep = a > b
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def _smaller_first(a, i, b, j):
    keep = (a < b) | ((a == b) & (i < j))
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def _smaller_any(a, i, b, j):
    keep = a < b
    return tl.where(keep, a, b), tl.where(keep, i, j)


@triton.jit
def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        tl.static_assert(axis is not None, "tl.max with indices needs an axis")
        x = _comparable(input)
        if return_indices_tie_break_left:
            return tl.reduce((x, _positions(x, axis)), axis, _larger_first, keep_dims)
        return tl.reduce((x, _positions(x, axis)), axis, _larger_any, keep_dims)
    return tl.reduce(_widened(input), axis, _larger, keep_dims)


@triton.jit
def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    if return_indices:
        tl.static_assert(axis is not None, "tl.min with indices needs an axis")
        x = _comparable(input)
        if return_indices_tie_break_left:
            return tl.reduce((x, _positions(x, axis)), axis, _smaller_first, keep_dims)
        return tl.reduce((x, _positions(x, axis)), axis, _smaller_any, keep_dims)
    return tl.reduce(_widened(input), axis, _smaller, keep_dims)


@triton.jit
def argmax(input, axis, tie_break_left=True, keep_dims=False):
    value, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


@triton.jit
def argmin(input, axis, tie_break_left=True, keep_dims=False):
    value, index = min(input, axis, True, tie_break_left, keep_dims)
    return index


# Sums of small ints are taken in 32 bits, where they would soon overflow their own type.
@triton.jit
def sum(input, axis=None, keep_dims=False, dtype=None):
    if dtype is not None:
        return tl.reduce(input.to(dtype), axis, _add, keep_dims)
    if input.dtype.is_int() and input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_int_signed():
            return tl.reduce(input.to(tl.int32), axis, _add, keep_dims)
        return tl.reduce(input.to(tl.uint32), axis, _add, keep_dims)
    return tl.reduce(input, axis, _add, keep_dims)


@triton.jit
def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "tl.xor_sum takes ints")
    return tl.reduce(input, axis, _xor, keep_dims)


@triton.jit
def reduce_or(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "tl.reduce_or takes ints")
    return tl.reduce(input, axis, _or, keep_dims)
