"""What the library's functions need of numpy arrays and torch tensors alike, so that each is written once."""

import functools
import math

from .. import _native, engines
from ..kernel import Kernel


def cdiv(x, y):
    """x / y rounded up. The package's own, which kernels can call too, takes ten times as long."""
    return -(-x // y)


def next_power_of_2(n):
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length() if n > 0 else 0


# Elements are numbered by 32 bits in most kernels.
MOST_ELEMENTS = 2**31 - 2**16


@functools.cache
def _source(file):
    return _native.library_source(file)


@functools.cache
def kernel(file, name=None):
    """A kernel of the library that is inside of Tilewise (kernels/ of its repository)."""
    return Kernel(_native.create_kernel(_source(file), name))


def is_torch(x):
    """Whether it is a torch tensor; torch is not imported to find that out."""
    return hasattr(x, "requires_grad")


def on_gpu(x):
    return is_torch(x) and engines.is_on_gpu(x)


def check(function, holds, message):
    """Raises the ValueError of wrong arguments, in the name of the function that was called. A message that takes time to make is a function."""
    if not holds:
        raise ValueError(f"{function}: {message() if callable(message) else message}")


def shape_text(*arrays):
    return " and ".join(str(list(array.shape)) for array in arrays)


@functools.cache
def _name_of(dtype):
    return str(dtype).removeprefix("torch.")


def type_name(x):
    """float32, bfloat16, ...: the same words for both kinds."""
    return _name_of(x.dtype)


def check_floats(function, *named):
    """(name, array) pairs: all of one floating point type, and none empty of dimensions."""
    first_name, first = named[0]
    for name, array in named:
        check(function, hasattr(array, "shape"), lambda: f"'{name}' is a {type(array).__name__}; a torch tensor or a numpy array is needed")
        check(function, type_name(array) in ("float16", "bfloat16", "float32", "float64"),
              lambda: f"'{name}' is {type_name(array)}; fp16, bf16, fp32 or fp64 is needed")
        check(function, type_name(array) == type_name(first), lambda: f"'{name}' is {type_name(array)}, but '{first_name}' is {type_name(first)}")
    check_size(function, *named)


def check_size(function, *named):
    for name, array in named:
        check(function, elements(array) <= MOST_ELEMENTS, lambda: f"'{name}' has {elements(array)} elements; at most {MOST_ELEMENTS} are possible")


def check_vector(function, name, array, length):
    check(function, tuple(array.shape) == (length,), lambda: f"'{name}' must have shape [{length}], got {shape_text(array)}")


def elements(x):
    return math.prod(x.shape)


def strides(x):
    """In elements."""
    return tuple(x.stride()) if is_torch(x) else tuple(stride // x.itemsize for stride in x.strides)


def contiguous(x):
    if is_torch(x):
        return x.contiguous()
    import numpy
    return numpy.ascontiguousarray(x)


def rows_of(x):
    """x as a matrix whose rows are its last dimension, each without gaps."""
    columns = x.shape[-1]
    count = math.prod(x.shape[:-1])
    if len(x.shape) == 2 and (strides(x)[1] == 1 or columns == 1):
        return x
    return contiguous(x).reshape((count, columns))


def with_unit_columns(x):
    """x, or a copy of it where its last dimension has gaps."""
    return x if strides(x)[-1] == 1 or x.shape[-1] == 1 else contiguous(x)


# From here on the C library gets memory from the system at each call, and gives it back: all of it is new.
_NEW_MEMORY = 32 << 20


def empty(like, shape=None, dtype=None):
    """Memory without values, of another array's kind and place; `dtype` is a name. Much of it has large pages, as numpy asks for by itself."""
    shape = tuple(like.shape) if shape is None else tuple(shape)
    if is_torch(like):
        import torch
        made = torch.empty(shape, dtype=getattr(torch, dtype) if dtype else like.dtype, device=like.device)
        if made.nbytes >= _NEW_MEMORY and made.is_cpu and type(made) is torch.Tensor:
            _native.large_pages(made.data_ptr(), made.nbytes)
        return made
    import numpy
    return numpy.empty(shape, dtype=dtype or like.dtype)


def wide(x):
    """The type in which sums of this type are kept."""
    return "float64" if type_name(x) == "float64" else "float32"


def side(extent, most):
    """A side of a block: a power of two that covers the extent, from 16 to `most`."""
    return max(16, min(most, next_power_of_2(extent)))
