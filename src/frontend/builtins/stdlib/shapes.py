# Functions that move elements of blocks, and scans, in the language itself.

@triton.jit
def interleave(a, b):
    both = tl.join(a, b)
    if len(both.shape) == 1:
        return both
    return tl.reshape(both, both.shape[:-2] + [2 * both.shape[-2]])


# Side by side in a new dimension just before `dim`, then merged with it.
@triton.jit
def cat(input, other, can_reorder=False, dim=0):
    tl.static_assert(input.shape == other.shape, f"tl.cat requires tensors of the same shape, got {input.shape} and {other.shape}")
    rank: tl.constexpr = len(input.shape)
    at: tl.constexpr = dim if dim >= 0 else dim + rank
    tl.static_assert(0 <= at and at < rank, f"tl.cat: dim {dim} is outside rank {rank}")
    both = tl.permute(tl.join(input, other), [d for d in range(at)] + [rank] + [d for d in range(at, rank)])
    return tl.reshape(both, [2 * input.shape[d] if d == at else input.shape[d] for d in range(rank)])


@triton.jit
def flip(x, dim=None):
    axis: tl.constexpr = _dimension(dim, len(x.shape))
    tl.static_assert(0 <= axis and axis < len(x.shape), "flip: dim must be None or in [-rank, rank)")
    return tl.gather(x, x.shape[axis] - 1 - _positions(x, axis), axis)


@triton.jit
def _multiply(a, b):
    return a * b


@triton.jit
def cumsum(input, axis=0, reverse=False, dtype=None):
    if dtype is not None:
        return tl.associative_scan(input.to(dtype), axis, _add, reverse)
    if input.dtype.is_int() and input.dtype.primitive_bitwidth < 32:
        if input.dtype.is_int_signed():
            return tl.associative_scan(input.to(tl.int32), axis, _add, reverse)
        return tl.associative_scan(input.to(tl.uint32), axis, _add, reverse)
    return tl.associative_scan(_comparable(input), axis, _add, reverse)


@triton.jit
def cumprod(input, axis=0, reverse=False):
    return tl.associative_scan(_comparable(input), axis, _multiply, reverse)
