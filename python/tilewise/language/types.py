"""The types of the kernel language as host objects: element types, pointers, blocks, tuples, and the mark of a compile-time constant."""

import builtins
import enum
import operator


class constexpr:
    """As an annotation: this parameter is known when the kernel is compiled. As a wrapper: so is this global value."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value

    @property
    def type(self):
        return constexpr_type(self.value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash(self.value)

    def __index__(self):
        return operator.index(self.value)

    def __int__(self):
        return int(self.value)

    def __float__(self):
        return float(self.value)

    def __bool__(self):
        return bool(self.value)

    def __iter__(self):
        return iter(self.value)

    def __call__(self, *arguments, **named):
        return self.value(*arguments, **named)

    def __getitem__(self, index):
        return self.value[unwrap(index)]

    def logical_and(self, other):
        return constexpr(self.value and unwrap(other))

    def logical_or(self, other):
        return constexpr(self.value or unwrap(other))


def unwrap(value):
    """The value inside a constexpr, also inside tuples and lists."""
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, builtins.tuple):
        items = [unwrap(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if type(value) is list:
        return [unwrap(item) for item in value]
    return value


def _add_operators():
    def binary(function):
        return lambda self, other: constexpr(function(self.value, unwrap(other)))

    def reflected(function):
        return lambda self, other: constexpr(function(unwrap(other), self.value))

    def unary(function):
        return lambda self: constexpr(function(self.value))

    for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor".split():
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        setattr(constexpr, f"__{name}__", binary(function))
        setattr(constexpr, f"__r{name}__", reflected(function))
    for name in "lt le gt ge eq ne".split():
        setattr(constexpr, f"__{name}__", binary(getattr(operator, name)))
    for name in "neg pos invert".split():
        setattr(constexpr, f"__{name}__", unary(getattr(operator, name)))


_add_operators()


class base_type:
    """What every type of the language is."""


class base_value:
    """What every value of the language is; values exist only inside kernels."""

    __slots__ = ()


class constexpr_type(base_type):
    """The type of one compile-time value."""

    def __init__(self, value):
        self.value = unwrap(value)

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def mangle(self):
        return f"c{self.value}"


# name in signatures and messages: (name in the language, bits, mantissa bits, exponent bias)
_ELEMENTS = {
    "void": ("void", 0, None, None),
    "int1": ("int1", 1, None, None),
    "int8": ("int8", 8, None, None),
    "int16": ("int16", 16, None, None),
    "int32": ("int32", 32, None, None),
    "int64": ("int64", 64, None, None),
    "uint8": ("uint8", 8, None, None),
    "uint16": ("uint16", 16, None, None),
    "uint32": ("uint32", 32, None, None),
    "uint64": ("uint64", 64, None, None),
    "fp8e4b15": ("float8e4b15", 8, 3, 15),
    "fp8e4nv": ("float8e4nv", 8, 3, 7),
    "fp8e4b8": ("float8e4b8", 8, 3, 8),
    "fp8e5": ("float8e5", 8, 2, 15),
    "fp8e5b16": ("float8e5b16", 8, 2, 16),
    "fp16": ("float16", 16, 10, 15),
    "bf16": ("bfloat16", 16, 7, 127),
    "fp32": ("float32", 32, 23, 127),
    "fp64": ("float64", 64, 52, 1023),
}


class dtype(base_type):
    """An element type; `str` gives its name in messages, `repr` an expression for it."""

    SINT_TYPES = ["int8", "int16", "int32", "int64"]
    UINT_TYPES = ["int1", "uint8", "uint16", "uint32", "uint64"]
    FP_TYPES = ["fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16", "fp16", "bf16", "fp32", "fp64"]
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(enum.Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(enum.Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = unwrap(name)
        if name not in _ELEMENTS:
            raise ValueError(f"'{name}' is no element type of the language")
        self.name = name
        self.attribute, self.primitive_bitwidth, mantissa, bias = _ELEMENTS[name]
        self.itemsize = self.primitive_bitwidth // 8
        if mantissa is not None:
            self.fp_mantissa_width, self.exponent_bias = mantissa, bias
        elif name != "void":
            self.int_bitwidth = self.primitive_bitwidth
            signed = name in self.SINT_TYPES
            self.int_signedness = self.SIGNEDNESS.SIGNED if signed else self.SIGNEDNESS.UNSIGNED

    @staticmethod
    def is_dtype(name):
        return name in _ELEMENTS

    def is_fp8(self):
        return self.name.startswith("fp8")

    def is_floating(self):
        return self.name in self.FP_TYPES

    def is_standard_floating(self):
        return self.name in self.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in self.SINT_TYPES

    def is_int_unsigned(self):
        return self.name in self.UINT_TYPES

    def is_int(self):
        return self.is_int_signed() or self.is_int_unsigned()

    def is_bool(self):
        return self.name == "int1"

    def is_void(self):
        return self.name == "void"

    def is_ptr(self):
        return False

    def is_block(self):
        return False

    def is_const(self):
        return False

    def kind(self):
        return self.KIND.BOOLEAN if self.is_bool() else self.KIND.INTEGRAL if self.is_int() else self.KIND.FLOATING

    def get_int_max_value(self):
        return 2**(self.int_bitwidth - self.is_int_signed()) - 1

    def get_int_min_value(self):
        return -2**(self.int_bitwidth - 1) if self.is_int_signed() else 0

    @property
    def scalar(self):
        return self

    def with_element_ty(self, element_ty):
        return element_ty

    def codegen_name(self):
        return self.attribute

    @property
    def cache_key_part(self):
        return self.name

    def mangle(self):
        return ("i" if self.is_int_signed() else "u") + str(self.int_bitwidth) if self.is_int() else self.name

    def __eq__(self, other):
        other = unwrap(other)
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.attribute}"


def _add_predicates():
    for name in _ELEMENTS:
        if name != "void" and not name.startswith("bf"):
            setattr(dtype, f"is_{name}", lambda self, name=name: self.name == name)
    dtype.is_bf16 = lambda self: self.name == "bf16"


_add_predicates()


class pointer_type(dtype):
    """A pointer to elements."""

    def __init__(self, element_ty, address_space="global", const=False):
        element_ty = unwrap(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty has type `{type(element_ty).__name__}`; expected `dtype`.")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"const_pointer<{element_ty}>" if const else f"pointer<{element_ty}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def mangle(self):
        return f"P{self.element_ty.mangle()}"

    def __eq__(self, other):
        other = unwrap(other)
        return (isinstance(other, pointer_type) and self.element_ty == other.element_ty
                and self.address_space == other.address_space and self.const == other.const)

    def __hash__(self):
        return hash((self.name, self.address_space))

    def __repr__(self):
        return self.name


class block_type(dtype):
    """A block of elements with a static shape."""

    def __init__(self, element_ty, shape):
        from .._utils import validate_block_shape
        self.element_ty = unwrap(element_ty)
        self.shape = builtins.tuple(unwrap(list(shape)))
        if not self.shape:
            raise TypeError("0d block_type is forbidden")
        self.numel = validate_block_shape(self.shape)
        self.name = f"<{self.shape}, {self.element_ty}>"
        self.primitive_bitwidth = self.element_ty.primitive_bitwidth

    @property
    def scalar(self):
        return self.element_ty

    @property
    def nbytes(self):
        return self.numel * self.element_ty.itemsize

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def with_element_ty(self, element_ty):
        return block_type(element_ty, self.shape)

    def mangle(self):
        return f"{self.scalar.mangle()}S{'_'.join(map(str, self.shape))}S"

    def __eq__(self, other):
        return isinstance(other, block_type) and self.element_ty == other.element_ty and self.shape == other.shape

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name


class tuple_type(base_type):
    """The types of a tuple's items, with their names for a named one."""

    def __init__(self, types, fields=None):
        self.types = list(types)
        self.fields = fields

    @property
    def name(self):
        items = map(str, self.types) if self.fields is None else (f"{f}:{t}" for f, t in zip(self.fields, self.types))
        return f"[{','.join(items)}]"

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def __eq__(self, other):
        return isinstance(other, tuple_type) and self.types == other.types and self.fields == other.fields

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return self.name

    def mangle(self):
        return "T" + "_".join(ty.mangle() for ty in self.types) + "T"


class tensor_descriptor_type(base_type):
    """The type of a descriptor: a block type, and the types of the shape and the strides."""

    def __init__(self, block_type, shape_type, strides_type):
        self.block_type = block_type
        self.shape_type = shape_type
        self.strides_type = strides_type

    def __repr__(self):
        return f"tensor_descriptor<{self.block_type}>"


class const:
    """As an annotation: a pointer through which the kernel only reads."""


class PropagateNan(enum.Enum):
    """What minimum, maximum and clamp do with NaN."""
    NONE = "NONE"
    ALL = "ALL"


void = dtype("void")
int1, int8, int16, int32, int64 = map(dtype, ("int1", "int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(dtype, ("uint8", "uint16", "uint32", "uint64"))
float8e4b15, float8e4nv, float8e4b8, float8e5, float8e5b16 = map(
    dtype, ("fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16"))
float16, bfloat16, float32, float64 = map(dtype, ("fp16", "bf16", "fp32", "fp64"))
pi32_t = pointer_type(int32)

_BY_SIGNATURE = {
    "i1": int1, "u1": int1, "B": int1, "i8": int8, "i16": int16, "i32": int32, "i64": int64, "u8": uint8, "u16": uint16,
    "u32": uint32, "u64": uint64, **{name: dtype(name) for name in dtype.FP_TYPES},
}


def str_to_ty(name, value=None):
    """The type that a signature's text means; `value` is the constant's where the text is "constexpr"."""
    if isinstance(name, builtins.tuple):
        return tuple_type([str_to_ty(item, value) for item in name], getattr(type(name), "_fields", None))
    if name.startswith("*"):
        const = name.startswith("*k")
        return pointer_type(str_to_ty(name[2 if const else 1:], value), const=const)
    if name.startswith("tensordesc"):
        element, _, shape = name.split("<", 1)[1].rstrip(">").partition("[")
        shape = [int(extent) for extent in shape.rstrip("]").split(",")]
        return tensor_descriptor_type(block_type(str_to_ty(element), shape), tuple_type([int32] * len(shape)),
                                      tuple_type([int64] * len(shape)))
    if name.startswith("constexpr"):
        return constexpr_type(value)
    return _BY_SIGNATURE[name]


__all__ = [
    "PropagateNan", "bfloat16", "block_type", "const", "constexpr", "constexpr_type", "dtype", "float16", "float32",
    "float64", "float8e4b15", "float8e4b8", "float8e4nv", "float8e5", "float8e5b16", "int1", "int16", "int32", "int64",
    "int8", "pi32_t", "pointer_type", "str_to_ty", "tensor_descriptor_type", "tuple_type", "uint16", "uint32", "uint64",
    "uint8", "void",
]
