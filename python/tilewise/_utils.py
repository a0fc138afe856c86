"""Names of element types in all the spellings that arguments and annotations come with, and the rule for block shapes."""

TRITON_MAX_TENSOR_NUMEL = 1048576

_SPELLINGS = {
    "u1": "bool int1 uint1 i1",
    "fp8e4nv": "float8e4nv float8_e4m3fn",
    "fp8e5": "float8e5 float8_e5m2",
    "fp8e4b15": "float8e4b15",
    "fp8e4b8": "float8e4b8 float8_e4m3fnuz",
    "fp8e5b16": "float8e5b16 float8_e5m2fnuz",
    "fp16": "half float16",
    "bf16": "bfloat16",
    "fp32": "float float32",
    "fp64": "double float64",
    "i8": "int8",
    "i16": "int16",
    "i32": "int int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "void": "",
}
# Every spelling -> the name in signatures.
type_canonicalisation_dict = {spelling: name for name, others in _SPELLINGS.items() for spelling in [name, *others.split()]}


def canonicalize_dtype(dtype):
    """torch.float32, tl.float32 or their names -> "fp32"."""
    return type_canonicalisation_dict[str(dtype).rpartition(".")[2]]


def canonicalize_ptr_dtype(dtype, is_const):
    return f"{'*k' if is_const else '*'}{canonicalize_dtype(dtype)}"


def is_power_of_two(x):
    return x > 0 and x & (x - 1) == 0


def validate_block_shape(shape):
    """How many elements a block of this shape has; raises where the language has no such block."""
    numel = 1
    for i, extent in enumerate(shape):
        if not isinstance(extent, int):
            raise TypeError(f"Shape element {i} must have type `constexpr[int]`, got `constexpr[{type(extent)}]")
        if not is_power_of_two(extent):
            raise ValueError(f"Shape element {i} must be a power of 2")
        numel *= extent
    if numel > TRITON_MAX_TENSOR_NUMEL:
        raise ValueError(f"numel ({numel}) exceeds triton maximum tensor numel ({TRITON_MAX_TENSOR_NUMEL})")
    return numel


def is_namedtuple(value):
    """Whether a type is that of named tuples."""
    return isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields")


def get_iterable_path(tree, path):
    """What lies at (2, 0) in nested tuples: the first of the third."""
    for index in path:
        tree = tree[index]
    return tree


def find_paths_if(tree, wanted):
    """The paths to what is no tuple and `wanted(path, value)` takes."""
    paths = []

    def visit(path, value):
        if isinstance(value, (tuple, list)):
            for index, inner in enumerate(value):
                visit((*path, index), inner)
        elif wanted(path, value):
            paths.append(path)

    visit((), tree)
    return paths


def sha256(text):
    """In hexadecimal. Python's module for it is loaded at first use, as it takes 2 ms: a tenth of an import of ours."""
    import hashlib
    return hashlib.sha256(text.encode()).hexdigest()
