"""Matrix products of every kind: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import (cdiv, check, check_floats, check_vector, contiguous, empty, launch, next_power_of_2, on_gpu, rows_of, shape_text, strides,
                     type_name, wide, with_unit_columns)

EPILOGUES = ("none", "relu", "leaky_relu", "gelu", "silu")


def _side(extent, most):
    return max(16, min(most, next_power_of_2(extent)))


def _blocks(a, m, n, k):
    """BLOCK_M, BLOCK_N and BLOCK_K: what fits a GPU's shared memory, or pays for a CPU's packing."""
    if on_gpu(a):
        most = (64, 64, 32) if type_name(a) in ("float32", "float64") else (128, 128, 64)
    else:
        most = (128, 128, 128)
    return dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), (_side(extent, limit) for extent, limit in zip((m, n, k), most))))


def _check_product(function, a, b):
    check_floats(function, ("a", a), ("b", b))
    check(function, len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[0],
          f"a must be M x K and b K x N, got {shape_text(a, b)}")


def _linear(a, b, bias, activation):
    """a @ b + bias, with matrices of any strides."""
    m, k = a.shape
    n = b.shape[1]
    c = empty(a, (m, n))
    blocks = _blocks(a, m, n, k)
    grid = (cdiv(m, blocks["BLOCK_M"]) * cdiv(n, blocks["BLOCK_N"]),)
    launch("linear.py", "linear", grid, a, b, c if bias is None else contiguous(bias), c, m, n, k, *strides(a), *strides(b), *strides(c),
           HAS_BIAS=bias is not None, ACTIVATION=activation, GROUP=8, **blocks)
    return c


def linear(x, weight, bias, activation):
    """activation(x @ weight^T + bias), weight being outputs x inputs as torch's."""
    check("linear", activation in EPILOGUES, f"the activation '{activation}' is none of {', '.join(EPILOGUES)}")
    check_floats("linear", ("x", x), ("weight", weight))
    check("linear", len(x.shape) >= 1 and len(weight.shape) == 2 and x.shape[-1] == weight.shape[1],
          f"x must end in the inputs of weight (outputs x inputs), got {shape_text(x, weight)}")
    if bias is not None:
        check_vector("linear", "bias", bias, weight.shape[0])
    rows = rows_of(x)
    return _linear(rows, weight.T, bias, activation).reshape((*x.shape[:-1], weight.shape[0]))


def matmul(a, b):
    """Two matrices, or batches of them where a batch of 1 serves all."""
    if len(a.shape) == 2 and len(b.shape) == 2:
        _check_product("matmul", a, b)
        return _linear(a, b, None, "none")
    check_floats("matmul", ("a", a), ("b", b))
    check("matmul", len(a.shape) == 3 and len(b.shape) == 3 and a.shape[2] == b.shape[1] and (a.shape[0] == b.shape[0] or 1 in (a.shape[0], b.shape[0])),
          f"a and b must be M x K and K x N, or batches of them, got {shape_text(a, b)}")
    batch = b.shape[0] if a.shape[0] == 1 else a.shape[0]
    m, k, n = a.shape[1], a.shape[2], b.shape[2]
    c = empty(a, (batch, m, n))
    a_strides, b_strides = ((0 if array.shape[0] == 1 else strides(array)[0], *strides(array)[1:]) for array in (a, b))
    blocks = _blocks(a, m, n, k)
    grid = (cdiv(m, blocks["BLOCK_M"]), cdiv(n, blocks["BLOCK_N"]), batch)
    launch("matmul_batched.py", "matmul_batched", grid, a, b, c, m, n, k, *a_strides, *b_strides, *strides(c), **blocks)
    return c


def matmul_grouped(a, b, start):
    """Rows start[g] to start[g + 1] of a times b[g]."""
    check_floats("matmul_grouped", ("a", a), ("b", b))
    check("matmul_grouped", len(a.shape) == 2 and len(b.shape) == 3 and a.shape[1] == b.shape[1],
          f"a must be rows x K and b groups x K x N, got {shape_text(a, b)}")
    groups = b.shape[0]
    check("matmul_grouped", tuple(start.shape) == (groups + 1,) and type_name(start) in ("int32", "int64"),
          f"'start' must hold {groups + 1} row numbers in int32 or int64, got {type_name(start)} of shape {shape_text(start)}")
    rows, k = a.shape
    n = b.shape[2]
    c = empty(a, (rows, n))
    # Each group can have one tile that is not full; how the rows are divided need not be known here.
    block_m = _side(cdiv(rows, max(groups, 1)), 64)
    blocks = {**_blocks(a, rows, n, k), "BLOCK_M": block_m}
    grid = (cdiv(rows, block_m) + groups, cdiv(n, blocks["BLOCK_N"])) if groups and rows else (0, 0)
    launch("matmul_grouped.py", "matmul_grouped", grid, a, b, c, contiguous(start), groups, n, k, *strides(a), *strides(b), *strides(c), **blocks)
    return c


def matmul_split_k(a, b, splits):
    _check_product("matmul_split_k", a, b)
    check("matmul_split_k", splits >= 1, f"splits must be at least 1, got {splits}")
    m, k = a.shape
    n = b.shape[1]
    blocks = _blocks(a, m, n, k)
    piece = cdiv(cdiv(max(k, 1), splits), blocks["BLOCK_K"]) * blocks["BLOCK_K"]
    splits = cdiv(max(k, 1), piece)
    parts, c = empty(a, (splits, m, n), wide(a)), empty(a, (m, n))
    launch("matmul_split_k.py", "matmul_split_k", (cdiv(m, blocks["BLOCK_M"]), cdiv(n, blocks["BLOCK_N"]), splits), a, b, parts, m, n, k, piece,
           *strides(a), *strides(b), **blocks)
    launch("matmul_split_k.py", "add_parts", (cdiv(m * n, 1024),), parts, c, m * n, splits, BLOCK=1024)
    return c


def matmul_int8(a, b, scale, a_scale):
    """a @ (b * scale) with int8 b; with a_scale, a is int8, too, and the result fp32."""
    check("matmul_int8", type_name(b) == "int8", f"b must be int8, got {type_name(b)}")
    check("matmul_int8", len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[0], f"a must be M x K and b K x N, got {shape_text(a, b)}")
    m, k = a.shape
    n = b.shape[1]
    check_vector("matmul_int8", "scale", scale, n)
    blocks = _blocks(a, m, n, k)
    grid = (cdiv(m, blocks["BLOCK_M"]), cdiv(n, blocks["BLOCK_N"]))
    if a_scale is None:
        check("matmul_int8", type_name(a) in ("float16", "bfloat16", "float32"), f"a is {type_name(a)}; fp16, bf16 or fp32 is needed without an a_scale")
        c = empty(a, (m, n))
        launch("matmul_int8.py", "matmul_int8_weights", grid, a, b, contiguous(scale), c, m, n, k, *strides(a), *strides(b), *strides(c), **blocks)
        return c
    check("matmul_int8", type_name(a) == "int8", f"with an a_scale, a must be int8, got {type_name(a)}")
    check_vector("matmul_int8", "a_scale", a_scale, m)
    c = empty(a, (m, n), "float32")
    blocks["BLOCK_K"] = max(32, blocks["BLOCK_K"])
    launch("matmul_int8.py", "matmul_int8", grid, a, b, contiguous(a_scale), contiguous(scale), c, m, n, k, *strides(a), *strides(b), *strides(c),
           **blocks)
    return c


def matmul_int4(a, packed, scale, zero, group):
    """a @ ((nibbles of packed - zero) * scale); see kernels/matmul_int4.py for how they are packed."""
    check("matmul_int4", type_name(packed) == "uint8", f"packed must be uint8, got {type_name(packed)}")
    check("matmul_int4", len(a.shape) == 2 and len(packed.shape) == 2 and a.shape[1] == 2 * packed.shape[0],
          f"a must be M x K and packed (K / 2) x N, got {shape_text(a, packed)}")
    check("matmul_int4", type_name(a) in ("float16", "bfloat16", "float32"), f"a is {type_name(a)}; fp16, bf16 or fp32 is needed")
    m, k = a.shape
    n = packed.shape[1]
    check("matmul_int4", group >= 32 and group & (group - 1) == 0, f"group must be a power of two from 32 on, got {group}")
    for name, array in (("scale", scale), ("zero", zero)):
        check("matmul_int4", tuple(array.shape) == (cdiv(k, group), n), f"'{name}' must have shape {[cdiv(k, group), n]}, got {shape_text(array)}")
    c = empty(a, (m, n))
    packed, scale, zero = contiguous(packed), contiguous(scale), contiguous(zero)
    blocks = _blocks(a, m, n, k)
    grid = (cdiv(m, blocks["BLOCK_M"]), cdiv(n, blocks["BLOCK_N"]))
    launch("matmul_int4.py", "matmul_int4", grid, a, packed, scale, zero, c, m, n, k, *strides(a), n, n, n, GROUP=group, BLOCK_M=blocks["BLOCK_M"],
           BLOCK_N=blocks["BLOCK_N"], BLOCK_BYTES=min(group // 2, 64))
    return c


def norm_linear(x, norm_weight, norm_bias, weight, bias, eps, activation, p, seed):
    """dropout(activation(layer_norm(x) @ weight^T + bias)) in one kernel."""
    check("norm_linear", activation in ("none", "gelu"), f"the activation '{activation}' is neither none nor gelu")
    check("norm_linear", 0 <= p < 1, f"p is the share that is dropped, from 0 to below 1; got {p}")
    check_floats("norm_linear", ("x", x), ("weight", weight))
    check("norm_linear", len(x.shape) >= 1 and len(weight.shape) == 2 and x.shape[-1] == weight.shape[1],
          f"x must end in the inputs of weight (outputs x inputs), got {shape_text(x, weight)}")
    outputs, columns = weight.shape
    for name, array, length in (("norm_weight", norm_weight, columns), ("norm_bias", norm_bias, columns), ("bias", bias, outputs)):
        check_vector("norm_linear", name, array, length)
    rows = with_unit_columns(rows_of(x))
    y = empty(rows, (rows.shape[0], outputs))
    blocks = _blocks(x, rows.shape[0], outputs, columns)
    grid = (cdiv(rows.shape[0], blocks["BLOCK_M"]), cdiv(outputs, blocks["BLOCK_N"]))
    stride_n, stride_k = strides(weight)
    launch("norm_linear_gelu_dropout.py", "norm_linear_gelu_dropout", grid, rows, y, contiguous(norm_weight), contiguous(norm_bias), weight,
           contiguous(bias), rows.shape[0], columns, outputs, float(eps), float(p), int(seed), strides(rows)[0], outputs, stride_k, stride_n,
           ACTIVATION=activation, HAS_DROPOUT=p > 0, **blocks)
    return y.reshape((*x.shape[:-1], outputs))
