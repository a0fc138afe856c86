"""`tl.tensor`: a scalar or block of a kernel that runs in interpreter mode. What it can do is the kernel language's own."""

import functools
import struct

from .types import base_value

# The session of the kernel that runs now; None outside of interpreter mode.
session = None

_FORMATS = {"int1": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "q", "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q",
            "fp16": "e", "fp32": "f", "fp64": "d"}
_DATA = frozenset(("dtype", "type", "numel", "T"))


class Extents(tuple):
    """A shape. Tuples and lists are one thing in kernels, so it equals lists too."""

    def __eq__(self, other):
        return tuple.__eq__(self, tuple(other)) if isinstance(other, (tuple, list)) else NotImplemented

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__


class opaque(base_value):
    """Something else of a kernel: a block pointer, a descriptor, a function of the language."""

    __slots__ = ("handle", "_text")

    def __init__(self, handle, text):
        self.handle = handle
        self._text = text

    def __repr__(self):
        return f"<{self._text}>"

    def is_a(self, name):
        return name.replace("_", " ") in self._text.replace("_", " ")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = session.evaluate(f"a.{name}", ("a",), self)
        if type(value) is tuple:
            return Extents(value)
        return functools.partial(session.apply, f"a.{name}", ("a",), (self,)) if type(value) is opaque else value

    def __call__(self, *arguments, **named):
        return session.apply("a", ("a",), (self,), *arguments, **named)


class tensor(base_value):
    """A scalar or block with its elements."""

    __slots__ = ("handle",)

    def __init__(self, handle):
        self.handle = handle

    def __getattr__(self, name):
        if name in _DATA:
            return session.evaluate(f"a.{name}", ("a",), self)
        if name.startswith("_"):
            raise AttributeError(name)
        return functools.partial(session.apply, f"a.{name}", ("a",), (self,))

    @property
    def shape(self):
        return Extents(session.evaluate("a.shape", ("a",), self))

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
        return session.evaluate(f"a[{', '.join(text)}]", tuple(names), *values)

    # The elements, for whoever looks at them from Python.

    def tolist(self):
        """The elements as numbers in nested lists, or one number."""
        from .. import _native
        from .types import dtype
        element = self.dtype
        whole = self
        if element.is_ptr():
            whole = session.evaluate("a.to(t, bitcast=True)", ("a", "t"), self, dtype("uint64"))
            element = dtype("uint64")
        elif element.name not in _FORMATS:  # floats that Python has no format for
            whole = session.evaluate("a.to(t)", ("a", "t"), self, dtype("fp32"))
            element = dtype("fp32")
        data = _native.operand_data(whole.handle)
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

    def __bool__(self):
        return bool(self._scalar("a condition"))

    def __int__(self):
        return int(self._scalar("int()"))

    def __float__(self):
        return float(self._scalar("float()"))

    def __index__(self):
        value = self._scalar("an index")
        if isinstance(value, float):
            raise TypeError("an index must be an integer")
        return int(value)

    __hash__ = object.__hash__


def _add_operators():
    binary = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
              "lshift": "<<", "rshift": ">>", "pow": "**"}
    compare = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
    names = ("a", "b")
    for name, sign in {**binary, **compare}.items():
        expression = f"a {sign} b"
        setattr(tensor, f"__{name}__", lambda self, other, e=expression: session.evaluate(e, names, self, other))
        if name in binary:
            setattr(tensor, f"__r{name}__", lambda self, other, e=expression: session.evaluate(e, names, other, self))
    for name, sign in {"neg": "-", "invert": "~", "pos": "+"}.items():
        setattr(tensor, f"__{name}__", lambda self, e=f"{sign}a": session.evaluate(e, ("a",), self))


_add_operators()
