# triton.tools.ragged_tma: blocks of rows [start, start + count) of a tensor through one descriptor, whose bounds then are the part's.
# The descriptor has two dimensions in front, made by the host such that 2**30 in the first moves back what the others moved too far;
# the rows themselves end at 2**30, so that a part whose last row comes to lie there is cut off by the bounds check.


@triton.jit
def _ragged_to_ragged_indices(slice_off, slice_size, row):
    limit = 0x40000000
    return limit, slice_off + slice_size, limit - slice_size + row


@triton.jit
def _ragged_place(slice_off, slice_size, coords, ragged_dim: tl.constexpr):
    limit, end, row = _ragged_to_ragged_indices(slice_off, slice_size, coords[ragged_dim])
    return [limit, end] + coords[:ragged_dim] + [row] + coords[ragged_dim + 1:]


@triton.jit
def _ragged_load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    tl.static_assert(len(TMA.shape) == len(coords) + 2, "TMA must be a read-write ragged descriptor")
    block = TMA.load(_ragged_place(slice_off, slice_size, coords, ragged_dim))
    return block.reshape(block.shape[2:])


@triton.jit
def _ragged_store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.store(_ragged_place(slice_off, slice_size, coords, ragged_dim), data.reshape([1, 1] + data.shape))


@triton.jit
def _ragged_atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    TMA.atomic_add(_ragged_place(slice_off, slice_size, coords, ragged_dim), data.reshape([1, 1] + data.shape))
