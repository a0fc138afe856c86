"""Activation functions over any number of elements, forward and backward: relu, leaky relu, gelu, gelu by tanh, silu.

KIND is a constant of the compile, so each kind becomes a kernel of its own and the tests below cost nothing at run time.
Values are computed in fp32 (fp64 where the data is fp64) and rounded once, when they are stored.
"""

import triton
import triton.language as tl


@triton.jit
def tanh(x):
    # From the sigmoid: exp of a negative number only, so nothing overflows for a large |x|.
    return 2 * tl.sigmoid(2 * x) - 1


@triton.jit
def activate(x, slope, KIND: tl.constexpr):
    """The function itself; `slope` is leaky relu's, others ignore it."""
    if KIND == "relu":
        y = tl.maximum(x, 0.0)
    elif KIND == "leaky_relu":
        y = tl.where(x >= 0, x, slope * x)
    elif KIND == "gelu":
        # x times the share of a normal distribution below x.
        y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    elif KIND == "gelu_tanh":
        y = 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))
    else:
        tl.static_assert(KIND == "silu", "KIND is relu, leaky_relu, gelu, gelu_tanh or silu")
        y = x * tl.sigmoid(x)
    return y


@triton.jit
def slope_of(x, slope, KIND: tl.constexpr):
    """The derivative at x."""
    if KIND == "relu":
        d = tl.where(x > 0, 1.0, 0.0)
    elif KIND == "leaky_relu":
        d = tl.where(x > 0, 1.0, slope)
    elif KIND == "gelu":
        density = tl.exp(-0.5 * x * x) * 0.3989422804014327
        d = 0.5 * (1 + tl.erf(x * 0.7071067811865476)) + x * density
    elif KIND == "gelu_tanh":
        t = tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
        inner = 0.7978845608028654 * (1 + 3 * 0.044715 * x * x)
        d = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner
    else:
        tl.static_assert(KIND == "silu", "KIND is relu, leaky_relu, gelu, gelu_tanh or silu")
        s = tl.sigmoid(x)
        d = s * (1 + x * (1 - s))
    return d


@triton.jit
def activation(x_ptr, y_ptr, n, slope, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    x = x.to(tl.float64 if x.dtype == tl.float64 else tl.float32)
    tl.store(y_ptr + at, activate(x, slope, KIND), mask=inside)


@triton.jit
def activation_backward(x_ptr, dy_ptr, dx_ptr, n, slope, KIND: tl.constexpr, BLOCK: tl.constexpr):
    """dx = dy * f'(x): the forward pass's input is read again, so that it need not keep anything."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    x = x.to(tl.float64 if x.dtype == tl.float64 else tl.float32)
    dy = tl.load(dy_ptr + at, mask=inside).to(x.dtype)
    tl.store(dx_ptr + at, dy * slope_of(x, slope, KIND), mask=inside)
