"""`triton.tools`."""

from .tensor_descriptor import TensorDescriptor

__all__ = ["TensorDescriptor"]
