"""`triton.tools.tensor_descriptor`: a tensor with a block shape, as a kernel argument."""

import dataclasses

from .._utils import canonicalize_dtype, validate_block_shape


def _address(memory):
    return memory.data_ptr() if hasattr(memory, "data_ptr") else memory.__array_interface__["data"][0]


@dataclasses.dataclass
class TensorDescriptor:
    """Memory with its shape and strides (in elements), read and written by kernels in blocks of one shape."""
    base: object
    shape: list
    strides: list
    block_shape: list
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self):
        rank = len(self.shape)
        assert len(self.strides) == rank, f"rank mismatch: {self}"
        assert len(self.block_shape) == rank, f"rank mismatch: {self}"
        assert rank > 0, "rank must not be zero"
        assert rank <= 5, "rank cannot be more than 5"
        if type(self.base).__name__ not in ("FakeTensor", "FunctionalTensor"):
            assert _address(self.base) % 16 == 0, "base must be 16-byte aligned"
        validate_block_shape(self.block_shape)
        for stride in self.strides[:-1]:
            assert stride * self.base.dtype.itemsize % 16 == 0, "strides must be 16-byte aligned"
        assert all(extent > 0 for extent in self.shape), "shape must be positive"
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert self.padding in ("zero", "nan"), "Illegal value for padding"
        if self.padding == "nan":
            assert canonicalize_dtype(self.base.dtype).startswith(("fp", "bf")), "Padding option `nan` is only supported for floating point tensors"
        if self.round_f32_to_tf32:
            assert canonicalize_dtype(self.base.dtype) == "fp32", "round_f32_to_tf32 is only supported for float32 tensors"

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        strides = tensor.stride() if hasattr(tensor, "stride") else [stride // tensor.itemsize for stride in tensor.strides]
        return TensorDescriptor(tensor, tensor.shape, strides, block_shape, padding, round_f32_to_tf32)
