"""`tl.tensor`: a scalar or block of a kernel that runs in interpreter mode. What it can do is the kernel language's own."""

import functools
import struct

from .. import _native
from ..errors import TritonError
from .types import base_value

# The value of an expression of the kernel language, over names and their values: evaluate("a + b", ("a", "b"), x, y).
evaluate = _native.interpreter_evaluate

_FORMATS = {"int1": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
            "fp16": "e", "fp32": "f", "fp64": "d"}
_DATA = frozenset(("dtype", "type", "numel", "T"))
# Names that were asked for and are methods of scalars and blocks.
_methods = set()


class Extents(tuple):
    """A shape. Tuples and lists are one thing in kernels, so it equals lists too."""

    def __eq__(self, other):
        return tuple.__eq__(self, tuple(other)) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


class opaque(_native.Operand, base_value):
    """Something else of a kernel: a block pointer, a descriptor, a function of the language."""

    __slots__ = ("_text",)

    def __repr__(self):
        return f"<{self._text}>"

    def is_a(self, name):
        return name.replace("_", " ") in self._text.replace("_", " ")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = evaluate(f"a.{name}", ("a",), self)
        if type(value) is tuple:
            return Extents(value)
        return functools.partial(_native.interpreter_apply, f"a.{name}", self) if type(value) is opaque else value

    def __call__(self, *arguments, **named):
        return _native.interpreter_apply("a", self, *arguments, **named)


class tensor(_native.Tensor, base_value):
    """A scalar or block with its elements. Its operators are those of the native class."""

    __slots__ = ()

    def __getattr__(self, name):
        if name in _DATA:
            return evaluate(f"a.{name}", ("a",), self)
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in _methods:
            try:
                evaluate(f"a.{name}", ("a",), self)
            except TritonError as error:
                raise AttributeError(str(error)) from None
            _methods.add(name)
        return functools.partial(_native.interpreter_apply, f"a.{name}", self)

    @property
    def shape(self):
        return Extents(self._extents())

    def __getitem__(self, index):
        items = index if type(index) is tuple else (index,)
        text, names, values = [], ["a"], [self]
        for i, item in enumerate(items):
            if item is None:
                text.append("None")
            elif isinstance(item, slice) and item == slice(None):
                text.append(":")
            else:
                text.append(f"i{i}")
                names.append(f"i{i}")
                values.append(item)
        return evaluate(f"a[{', '.join(text)}]", tuple(names), *values)

    # The elements, for whoever looks at them from Python.

    def tolist(self):
        """The elements as numbers in nested lists, or one number."""
        from .types import dtype
        element = self.dtype
        whole = self
        if element.is_ptr():
            whole = evaluate("a.to(t, bitcast=True)", ("a", "t"), self, dtype("uint64"))
            element = dtype("uint64")
        elif element.name not in _FORMATS:  # floats that Python has no format for
            whole = evaluate("a.to(t)", ("a", "t"), self, dtype("fp32"))
            element = dtype("fp32")
        data = whole._bytes()
        code = _FORMATS[element.name]
        flat = struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
        shape = self.shape
        if not shape:
            return flat[0]
        items = list(flat)
        for extent in reversed(shape[1:]):
            items = [items[i:i + extent] for i in range(0, len(items), extent)]
        return items

    def numpy(self):
        """The elements as a numpy array."""
        import numpy
        element = self.dtype
        name = {"fp16": "float16", "fp32": "float32", "fp64": "float64", "int1": "bool"}.get(element.name, element.name)
        return numpy.array(self.tolist(), dtype=name if element.name in _FORMATS else "uint64" if element.is_ptr() else "float32")

    def __repr__(self):
        if not self.shape:
            return str(self.tolist())
        try:
            return str(self.numpy())
        except ImportError:
            return str(self.tolist())

    __str__ = __repr__

    def __format__(self, spec):
        if spec and not self.shape:
            return format(self.tolist(), spec)
        return str(self)

    def _scalar(self, what):
        if self.numel != 1:
            raise ValueError(f"{what} needs a scalar, got a block of shape {list(self.shape)}; "
                             "a condition over a block is written with tl.where, or reduced to a scalar first")
        value = self.tolist()
        while type(value) is list:
            value = value[0]
        return value


_native.set_operand_classes(tensor, opaque)
