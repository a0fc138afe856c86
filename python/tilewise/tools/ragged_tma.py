"""`triton.tools.ragged_tma`: rows [start, start + count) of a tensor as blocks whose bounds are the part's own."""

from ..language.functions import offer as _offer
from .tensor_descriptor import TensorDescriptor

_NAMES = "to_ragged_indices load_ragged store_ragged atomic_add_ragged"
globals().update(_offer("triton.tools.ragged_tma", _NAMES))
__all__ = ["create_ragged_descriptor", *_NAMES.split()]

_ROWS = 2**30
_ANY = 0x7FFF0000


def create_ragged_descriptor(T, block_shape, ragged_dim=0):
    """A descriptor of `T` for load_ragged and its like. Row 2**30 of the first dimension leads 2**64 elements round to where the second
    dimension and the rows have moved from: addresses wrap."""
    shape, block_shape = list(T.shape), list(block_shape)
    rank = len(shape)
    ragged_dim += rank if ragged_dim < 0 else 0
    assert 0 <= ragged_dim < rank - 1, "last dimension cannot be ragged"
    assert rank <= 3, "read-write ragged descriptors must have at most 3 dimensions"
    assert len(block_shape) == rank, "block shape must have same length as tensor shape"
    assert shape[ragged_dim] <= _ROWS, "number of rows may not exceed 2**30"
    shape[ragged_dim] = _ROWS
    stride = T.stride(ragged_dim)
    strides = [2**34 - stride, stride, *(T.stride(i) for i in range(rank))]
    return TensorDescriptor(T, [_ANY, _ANY, *shape], strides, [1, 1, *block_shape])
