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


@triton.jit
def _exceeds(a, b):
    if a.dtype.is_floating():
        return (a > b) | ((a != a) & (b == b))
    return a > b


# Each pair of lanes that differ in one bit of their position is put in order; `falling` says in which lanes the order falls. Both lanes of a
# pair take the same decision, so no element is lost or doubled, whatever compares equal.
@triton.jit
def _exchange(x, at, axis: tl.constexpr, bit: tl.constexpr, falling):
    other = tl.gather(x, at ^ bit, axis)
    is_first = (at & bit) == 0
    wrong = _exceeds(tl.where(is_first, x, other), tl.where(is_first, other, x))
    return tl.where(wrong != falling, other, x)


# A bitonic run of 2^steps elements becomes sorted.
@triton.jit
def _merge_runs(x, at, axis: tl.constexpr, steps: tl.constexpr, falling):
    for i in tl.static_range(steps):
        x = _exchange(x, at, axis, 1 << (steps - 1 - i), falling)
    return x


@triton.jit
def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    axis: tl.constexpr = _dimension(dim, len(x.shape))
    at = _positions(x, axis)
    last: tl.constexpr = _log2(x.shape[axis])
    # Runs of 2, 4, 8, ... elements, neighbours in opposite order so that two of them make a bitonic run.
    for i in tl.static_range(1, last + 1):
        odd = (at & (1 << i)) != 0
        x = _merge_runs(x, at, axis, i, odd != (descending != 0))
    return x


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
    return _merge_runs(x, at, axis, _log2(x.shape[axis]), never != (descending != 0))
