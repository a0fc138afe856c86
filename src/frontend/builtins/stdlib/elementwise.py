# Elementwise functions and orders of programs, in the language itself.

@triton.jit
def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


@triton.jit
def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=True)
    weight = tl.exp(shifted)
    return tl.fdiv(weight, sum(weight, axis, keep_dims=True), ieee_rounding)


# Program (i, j) of a size_i x size_j grid walked in stripes of size_g rows, for reuse in the cache.
@triton.jit
def swizzle2d(i, j, size_i, size_j, size_g):
    linear = i * size_j + j
    stripe_size = size_g * size_j
    stripe = linear // stripe_size
    first_row = stripe * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    inside = linear % stripe_size
    return first_row + inside % rows, inside // rows


@triton.jit
def _tensor_logical_and(input, other):
    return input and other


@triton.jit
def _tensor_logical_or(input, other):
    return input or other
