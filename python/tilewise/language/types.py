"""The element types of the kernel language, and the mark of a compile-time constant."""


class dtype:
    """An element type; `str` gives its name in signatures."""

    def __init__(self, attribute, name, bits):
        self.attribute = attribute
        self.name = name
        self.primitive_bitwidth = bits

    @property
    def itemsize(self):
        return max(self.primitive_bitwidth, 8) // 8

    def is_floating(self):
        return self.name.startswith(("fp", "bf"))

    def is_int(self):
        return self.name.startswith(("int", "uint"))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"tilewise.language.{self.attribute}"


class constexpr:
    """As an annotation: this parameter is known when the kernel is compiled. As a wrapper: so is this global value."""

    def __init__(self, value):
        self.value = value.value if isinstance(value, constexpr) else value

    def __repr__(self):
        return f"constexpr[{self.value!r}]"

    def __index__(self):
        return self.value.__index__()

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)

    def __eq__(self, other):
        return self.value == (other.value if isinstance(other, constexpr) else other)

    def __hash__(self):
        return hash(self.value)


class const:
    """As an annotation: a pointer through which the kernel only reads."""


int1 = dtype("int1", "int1", 1)
int8 = dtype("int8", "int8", 8)
int16 = dtype("int16", "int16", 16)
int32 = dtype("int32", "int32", 32)
int64 = dtype("int64", "int64", 64)
uint8 = dtype("uint8", "uint8", 8)
uint16 = dtype("uint16", "uint16", 16)
uint32 = dtype("uint32", "uint32", 32)
uint64 = dtype("uint64", "uint64", 64)
float8e4nv = dtype("float8e4nv", "fp8e4nv", 8)
float8e5 = dtype("float8e5", "fp8e5", 8)
float16 = dtype("float16", "fp16", 16)
bfloat16 = dtype("bfloat16", "bf16", 16)
float32 = dtype("float32", "fp32", 32)
float64 = dtype("float64", "fp64", 64)

__all__ = [
    "bfloat16", "const", "constexpr", "dtype", "float16", "float32", "float64", "float8e4nv", "float8e5", "int1", "int16",
    "int32", "int64", "int8", "uint16", "uint32", "uint64", "uint8",
]
