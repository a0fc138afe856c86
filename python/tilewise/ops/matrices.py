"""Matrix products of every kind: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import (cdiv, check, check_floats, check_vector, contiguous, empty, kernel, rows_of, shape_text, side, strides, type_name, wide,
                     with_unit_columns)
from .launches import launch

EPILOGUES = ("none", "relu", "leaky_relu", "gelu", "silu")


def _blocks(config, m, n, k):
    """BLOCK_M, BLOCK_N and BLOCK_K, no larger than they need to be."""
    return {name: side(extent, config[name]) for name, extent in (("BLOCK_M", m), ("BLOCK_N", n), ("BLOCK_K", k))}


def _tiles(m, n, k, *more):
    """The plan of kernels with a program for each tile of the result."""

    def plan(config):
        blocks = _blocks(config, m, n, k)
        return (cdiv(m, blocks["BLOCK_M"]), cdiv(n, blocks["BLOCK_N"]), *more), blocks

    return plan


def _check_product(function, a, b):
    check_floats(function, ("a", a), ("b", b))
    check(function, len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[0],
          lambda: f"a must be M x K and b K x N, got {shape_text(a, b)}")


def _linear(a, b, bias, activation):
    """a @ b + bias, with matrices of any strides."""
    m, k = a.shape
    n = b.shape[1]
    c = empty(a, (m, n))

    def plan(config):
        blocks = _blocks(config, m, n, k)
        return (cdiv(m, blocks["BLOCK_M"]) * cdiv(n, blocks["BLOCK_N"]),), blocks

    launch("linear.py", "linear", a, (m, n, k), (a, b, c if bias is None else contiguous(bias), c, m, n, k, *strides(a), *strides(b), *strides(c)), plan,
           HAS_BIAS=bias is not None, ACTIVATION=activation, GROUP=8)
    return c


def linear(x, weight, bias, activation):
    """activation(x @ weight^T + bias), weight being outputs x inputs as torch's."""
    check("linear", activation in EPILOGUES, lambda: f"the activation '{activation}' is none of {', '.join(EPILOGUES)}")
    check_floats("linear", ("x", x), ("weight", weight))
    check("linear", len(x.shape) >= 1 and len(weight.shape) == 2 and x.shape[-1] == weight.shape[1],
          lambda: f"x must end in the inputs of weight (outputs x inputs), got {shape_text(x, weight)}")
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
          lambda: f"a and b must be M x K and K x N, or batches of them, got {shape_text(a, b)}")
    batch = b.shape[0] if a.shape[0] == 1 else a.shape[0]
    m, k, n = a.shape[1], a.shape[2], b.shape[2]
    c = empty(a, (batch, m, n))
    a_strides, b_strides = ((0 if array.shape[0] == 1 else strides(array)[0], *strides(array)[1:]) for array in (a, b))
    launch("matmul_batched.py", "matmul_batched", a, (m, n, k, batch), (a, b, c, m, n, k, *a_strides, *b_strides, *strides(c)), _tiles(m, n, k, batch))
    return c


def matmul_grouped(a, b, start):
    """Rows start[g] to start[g + 1] of a times b[g]."""
    check_floats("matmul_grouped", ("a", a), ("b", b))
    check("matmul_grouped", len(a.shape) == 2 and len(b.shape) == 3 and a.shape[1] == b.shape[1],
          lambda: f"a must be rows x K and b groups x K x N, got {shape_text(a, b)}")
    groups = b.shape[0]
    check("matmul_grouped", tuple(start.shape) == (groups + 1,) and type_name(start) in ("int32", "int64"),
          lambda: f"'start' must hold {groups + 1} row numbers in int32 or int64, got {type_name(start)} of shape {shape_text(start)}")
    rows, k = a.shape
    n = b.shape[2]
    c = empty(a, (rows, n))

    def plan(config):
        blocks = {**_blocks(config, rows, n, k), "BLOCK_M": side(cdiv(rows, max(groups, 1)), config["BLOCK_M"])}
        # Each group can have one tile that is not full; how the rows are divided need not be known here.
        return (cdiv(rows, blocks["BLOCK_M"]) + groups if rows and groups else 0, cdiv(n, blocks["BLOCK_N"])), blocks

    launch("matmul_grouped.py", "matmul_grouped", a, (rows, n, k, groups),
           (a, b, c, contiguous(start), groups, n, k, *strides(a), *strides(b), *strides(c)), plan)
    return c


def matmul_split_k(a, b, splits):
    _check_product("matmul_split_k", a, b)
    check("matmul_split_k", splits >= 1, lambda: f"splits must be at least 1, got {splits}")
    m, k = a.shape
    n = b.shape[1]
    # Whole blocks of most configs, and the same parts with each of them.
    piece = cdiv(cdiv(max(k, 1), splits), 128) * 128
    splits = cdiv(max(k, 1), piece)
    parts, c = empty(a, (splits, m, n), wide(a)), empty(a, (m, n))
    launch("matmul_split_k.py", "matmul_split_k", a, (m, n, k, splits), (a, b, parts, m, n, k, piece, *strides(a), *strides(b)), _tiles(m, n, k, splits))
    if m * n:
        kernel("matmul_split_k.py", "add_parts")[(cdiv(m * n, 1024),)](parts, c, m * n, splits, BLOCK=1024)
    return c


def matmul_int8(a, b, scale, a_scale):
    """a @ (b * scale) with int8 b; with a_scale, a is int8, too, and the result fp32."""
    check("matmul_int8", type_name(b) == "int8", lambda: f"b must be int8, got {type_name(b)}")
    check("matmul_int8", len(a.shape) == 2 and len(b.shape) == 2 and a.shape[1] == b.shape[0], lambda: f"a must be M x K and b K x N, got {shape_text(a, b)}")
    m, k = a.shape
    n = b.shape[1]
    check_vector("matmul_int8", "scale", scale, n)
    if a_scale is None:
        check("matmul_int8", type_name(a) in ("float16", "bfloat16", "float32"), lambda: f"a is {type_name(a)}; fp16, bf16 or fp32 is needed without an a_scale")
        c = empty(a, (m, n))
        launch("matmul_int8.py", "matmul_int8_weights", a, (m, n, k), (a, b, contiguous(scale), c, m, n, k, *strides(a), *strides(b), *strides(c)),
               _tiles(m, n, k))
        return c
    check("matmul_int8", type_name(a) == "int8", lambda: f"with an a_scale, a must be int8, got {type_name(a)}")
    check_vector("matmul_int8", "a_scale", a_scale, m)
    c = empty(a, (m, n), "float32")

    def plan(config):
        grid, blocks = _tiles(m, n, k)(config)
        return grid, {**blocks, "BLOCK_K": max(32, blocks["BLOCK_K"])}

    launch("matmul_int8.py", "matmul_int8", a, (m, n, k),
           (a, b, contiguous(a_scale), contiguous(scale), c, m, n, k, *strides(a), *strides(b), *strides(c)), plan)
    return c


def matmul_int4(a, packed, scale, zero, group):
    """a @ ((nibbles of packed - zero) * scale); see kernels/matmul_int4.py for how they are packed."""
    check("matmul_int4", type_name(packed) == "uint8", lambda: f"packed must be uint8, got {type_name(packed)}")
    check("matmul_int4", len(a.shape) == 2 and len(packed.shape) == 2 and a.shape[1] == 2 * packed.shape[0],
          lambda: f"a must be M x K and packed (K / 2) x N, got {shape_text(a, packed)}")
    check("matmul_int4", type_name(a) in ("float16", "bfloat16", "float32"), lambda: f"a is {type_name(a)}; fp16, bf16 or fp32 is needed")
    m, k = a.shape
    n = packed.shape[1]
    check("matmul_int4", group >= 32 and group & (group - 1) == 0, lambda: f"group must be a power of two from 32 on, got {group}")
    for name, array in (("scale", scale), ("zero", zero)):
        check("matmul_int4", tuple(array.shape) == (cdiv(k, group), n), lambda: f"'{name}' must have shape {[cdiv(k, group), n]}, got {shape_text(array)}")
    c = empty(a, (m, n))
    packed, scale, zero = contiguous(packed), contiguous(scale), contiguous(zero)

    def plan(config):
        block_m, block_n = side(m, config["BLOCK_M"]), side(n, config["BLOCK_N"])
        return (cdiv(m, block_m), cdiv(n, block_n)), {"BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_BYTES": min(group // 2, config["BLOCK_BYTES"])}

    launch("matmul_int4.py", "matmul_int4", a, (m, n, k), (a, packed, scale, zero, c, m, n, k, *strides(a), n, n, n), plan, GROUP=group)
    return c


def norm_linear(x, norm_weight, norm_bias, weight, bias, eps, activation, p, seed):
    """dropout(activation(layer_norm(x) @ weight^T + bias)) in one kernel."""
    check("norm_linear", activation in ("none", "gelu"), lambda: f"the activation '{activation}' is neither none nor gelu")
    check("norm_linear", 0 <= p < 1, lambda: f"p is the share that is dropped, from 0 to below 1; got {p}")
    check_floats("norm_linear", ("x", x), ("weight", weight))
    check("norm_linear", len(x.shape) >= 1 and len(weight.shape) == 2 and x.shape[-1] == weight.shape[1],
          lambda: f"x must end in the inputs of weight (outputs x inputs), got {shape_text(x, weight)}")
    outputs, columns = weight.shape
    for name, array, length in (("norm_weight", norm_weight, columns), ("norm_bias", norm_bias, columns), ("bias", bias, outputs)):
        check_vector("norm_linear", name, array, length)
    rows = with_unit_columns(rows_of(x))
    y = empty(rows, (rows.shape[0], outputs))
    count = rows.shape[0]
    stride_n, stride_k = strides(weight)
    launch("norm_linear_gelu_dropout.py", "norm_linear_gelu_dropout", rows, (count, outputs, columns),
           (rows, y, contiguous(norm_weight), contiguous(norm_bias), weight, contiguous(bias), count, columns, outputs, float(eps), float(p), int(seed),
            strides(rows)[0], outputs, stride_k, stride_n), _tiles(count, outputs, columns), ACTIVATION=activation, HAS_DROPOUT=p > 0)
    return y.reshape((*x.shape[:-1], outputs))
