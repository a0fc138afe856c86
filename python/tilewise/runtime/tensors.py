"""Stand-ins for tensors: a dtype alone for `warmup`, and a tensor whose elements are read as another type."""


class MockTensor:
    """A tensor of which only the type matters: `kernel.warmup(MockTensor(torch.float32), ...)`."""

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    @staticmethod
    def wrap_dtype(argument):
        if type(argument).__name__ == "dtype" and type(argument).__module__ == "torch":
            return MockTensor(argument)
        return argument

    def stride(self):
        strides = [1]
        for extent in self.shape[1:]:
            strides.append(strides[-1] * extent)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0


class TensorWrapper:
    """A tensor under another element type of the same size."""

    def __init__(self, base, dtype):
        self.base = base
        self.dtype = dtype
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    @property
    def is_cuda(self):
        return getattr(self.base, "is_cuda", False)

    def get_device(self):
        return self.base.get_device()

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *arguments):
        return self.base.stride(*arguments)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    """The tensor with its elements read as `dtype`."""
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")
