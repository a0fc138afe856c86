# Sorting by networks of exchanges, in the language itself: along any dimension, NaN counted as the largest.

@triton.constexpr_function
def _log2(n):
    steps = 0
    while n > 1:
        n = n // 2
        steps = steps + 1
    return steps


@triton.constexpr_function
def _dimension(dim, rank):
    if dim is None:
        return rank - 1
    return dim + rank if dim < 0 else dim


@triton.constexpr_function
def _key_type(bits):
    return {8: tl.int8, 16: tl.int16, 32: tl.int32, 64: tl.int64}[bits]


# Integers in the order of the numbers, so that an exchange is a minimum and a maximum. The bits of a float are a sign and a size; below zero the
# size is turned over. NaN is the largest key. Floats of 8 bits, some of which have no bits left for that, are sorted as float16.
@triton.jit
def _keys(x):
    if x.dtype.is_floating():
        if x.dtype.primitive_bitwidth == 8:
            return _keys(x.to(tl.float16))
        bits: tl.constexpr = x.dtype.primitive_bitwidth
        largest: tl.constexpr = 2**(bits - 1) - 1
        signed = x.to(_key_type(bits), bitcast=True)
        return tl.where(x != x, largest, signed ^ ((signed >> (bits - 1)) & largest))
    if x.dtype == tl.int1:
        return x.to(tl.int8)
    return x


@triton.jit
def _from_keys(keys, dtype: tl.constexpr):
    if dtype.is_floating():
        if dtype.primitive_bitwidth == 8:
            return _from_keys(keys, tl.float16).to(dtype)
        bits: tl.constexpr = dtype.primitive_bitwidth
        return (keys ^ ((keys >> (bits - 1)) & (2**(bits - 1) - 1))).to(dtype, bitcast=True)
    return keys.to(dtype)


# Each pair of keys whose positions differ in one bit is put in order; `falling` says in which lanes the order falls.
@triton.jit
def _exchange(keys, at, axis: tl.constexpr, bit: tl.constexpr, falling):
    other = tl.gather(keys, at ^ bit, axis)
    takes_smaller = ((at & bit) == 0) != falling
    return tl.where(takes_smaller, tl.minimum(keys, other), tl.maximum(keys, other))


# A bitonic run of 2^steps elements becomes sorted.
@triton.jit
def _merge_runs(keys, at, axis: tl.constexpr, steps: tl.constexpr, falling):
    for i in tl.static_range(steps):
        keys = _exchange(keys, at, axis, 1 << (steps - 1 - i), falling)
    return keys


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _dimension(dim, len(x.shape))
    at = _positions(x, axis)
    last: tl.constexpr = _log2(x.shape[axis])
    keys = _keys(x)
    # Runs of 2, 4, 8, ... elements, neighbours in opposite order so that two of them make a bitonic run.
    for i in tl.static_range(1, last + 1):
        odd = (at & (1 << i)) != 0
        keys = _merge_runs(keys, at, axis, i, odd != (descending != 0))
    return _from_keys(keys, x.dtype)


@triton.jit
def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    axis: tl.constexpr = _dimension(dim, len(x.shape))
    tl.static_assert(k > 0, "topk: k must be greater than 0")
    tl.static_assert((k & (k - 1)) == 0, "topk: k must be a power of two")
    tl.static_assert(k <= x.shape[axis], "topk: k must not exceed the size of the selected dimension")
    first = tl.expand_dims(tl.arange(0, k), [d for d in range(len(x.shape)) if d != axis])
    wanted: tl.constexpr = [k if d == axis else x.shape[d] for d in range(len(x.shape))]
    return tl.gather(sort(x, axis, descending), tl.broadcast_to(first, wanted), axis)


@triton.jit
def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _dimension(dim, len(x.shape))
    at = _positions(x, axis)
    never = at < 0
    return _from_keys(_merge_runs(_keys(x), at, axis, _log2(x.shape[axis]), never != (descending != 0)), x.dtype)
