# torch._inductor.runtime.triton_helpers: what kernels written by PyTorch's compiler call.


@triton.jit
def _inductor_promote_to_tensor(x):
    return x + tl.zeros((1, ), tl.int1)


@triton.jit
def _inductor_is_floating(x):
    return tl.to_tensor(x).dtype.is_floating()


@triton.jit
def _inductor_div_floor_integer(a, b):
    towards_zero = a // b
    is_below = ((a < 0) != (b < 0)) & (a % b != 0)
    return tl.where(is_below, towards_zero - 1, towards_zero)


@triton.jit
def _inductor_remainder_integer(a, b):
    rest = a % b
    return tl.where((rest != 0) & ((a < 0) != (b < 0)), rest + b, rest)


# NaN wins, also in the reductions below.


@triton.jit
def _inductor_maximum(a, b):
    takes_a = a > b
    if _inductor_is_floating(a):
        takes_a |= a != a
    return tl.where(takes_a, a, b)


@triton.jit
def _inductor_minimum(a, b):
    takes_a = a < b
    if _inductor_is_floating(a):
        takes_a |= a != a
    return tl.where(takes_a, a, b)


@triton.jit
def _inductor_max2(a, dim):
    return tl.reduce(a, dim, _inductor_maximum)


@triton.jit
def _inductor_min2(a, dim):
    return tl.reduce(a, dim, _inductor_minimum)


@triton.jit
def _inductor_earlier(takes_a, a, i, b, j):
    """Of equal values, and of NaNs, the one with the smaller index."""
    is_equal = a == b
    if _inductor_is_floating(a):
        takes_a |= (a != a) & (b == b)
        is_equal |= (a != a) & (b != b)
    takes_a |= is_equal & (i < j)
    return tl.where(takes_a, a, b), tl.where(takes_a, i, j)


@triton.jit
def _inductor_maximum_with_index(a_value, a_index, b_value, b_index):
    return _inductor_earlier((a_value > b_value) & (b_value == b_value), a_value, a_index, b_value, b_index)


@triton.jit
def _inductor_minimum_with_index(a_value, a_index, b_value, b_index):
    return _inductor_earlier((a_value < b_value) & (b_value == b_value), a_value, a_index, b_value, b_index)


@triton.jit
def _inductor_max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, _inductor_maximum_with_index)


@triton.jit
def _inductor_min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, _inductor_minimum_with_index)


@triton.jit
def _inductor_any(a, dim):
    return tl.reduce(a, dim, _or)


@triton.jit
def _inductor_prod(input, axis):
    return tl.reduce(input, axis, _multiply)


# Welford's mean and sum of squared distances from it, kept with the weight of what they sum up.


@triton.jit
def _inductor_welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.jit
def _inductor_welford_reduce(value, mean, m2, weight, first_iteration):
    if first_iteration:
        next_weight = tl.full(weight.shape, 1, weight.dtype)
        next_mean = value
        next_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        next_weight = weight + 1
        next_mean = mean + delta / next_weight
        next_m2 = m2 + delta * (value - next_mean)
    return next_mean, next_m2, next_weight


@triton.jit
def _inductor_welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, _inductor_welford_combine)


@triton.jit
def _inductor_device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


@triton.jit
def _inductor_exp(x, use_fast_math: tl.constexpr):
    return tl.exp(x)


# A row's maximum, and the sum of its exponentials relative to it. A row of -inf alone has terms of one.


@triton.jit
def _inductor_online_softmax_reduce(lhs_max, lhs_sum, dim, use_fast_math: tl.constexpr):
    out_max = _inductor_max2(lhs_max, dim)
    most = tl.expand_dims(out_max, dim)
    distance = tl.where(most == float("-inf"), 0, lhs_max - most)
    return out_max, tl.sum(lhs_sum * tl.exp(distance), dim)


@triton.jit
def _inductor_online_softmax_combine_with_sum(lhs_max, lhs_sum, rhs_max, rhs_sum, use_fast_math: tl.constexpr):
    most = _inductor_maximum(lhs_max, rhs_max)
    is_empty = most == float("-inf")
    left = tl.where(is_empty, 1.0, tl.exp(lhs_max - most))
    right = tl.where(is_empty, 1.0, tl.exp(rhs_max - most))
    return most, lhs_sum * left + rhs_sum * right


@triton.jit
def _inductor_online_softmax_combine(lhs_max, lhs_sum, rhs_max, use_fast_math: tl.constexpr):
    return _inductor_online_softmax_combine_with_sum(lhs_max, lhs_sum, rhs_max, 1.0, use_fast_math)


@triton.jit
def _inductor_select_one(x, mask, dim, keep_dims=False):
    """The element of each row that the mask has, bit for bit."""
    bits: tl.constexpr = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False)
    return tl.sum(x.to(bits, bitcast=True) * mask, dim, keep_dims=keep_dims).to(bits).to(x.dtype, bitcast=True)
