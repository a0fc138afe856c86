"""Functions of each element, and of pictures: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import (cdiv, check, check_floats, check_size, contiguous, elements, empty, flat_block, launch, next_power_of_2, on_gpu,
                     shape_text, strides, type_name)

ACTIVATIONS = ("relu", "leaky_relu", "gelu", "gelu_tanh", "silu")


def _flat_launch(file, name, like, *arguments, **constants):
    block = flat_block(like)
    launch(file, name, (cdiv(elements(like), block),), *arguments, BLOCK=block, **constants)


def _same_shapes(function, *named):
    check_floats(function, *named)
    for name, array in named:
        check(function, array.shape == named[0][1].shape,
              f"'{name}' has shape {shape_text(array)}, but '{named[0][0]}' has {shape_text(named[0][1])}")


def multiply_add_sqrt(a, b, c):
    _same_shapes("multiply_add_sqrt", ("a", a), ("b", b), ("c", c))
    a, b, c = contiguous(a), contiguous(b), contiguous(c)
    out = empty(a)
    _flat_launch("multiply_add_sqrt.py", "multiply_add_sqrt", a, a, b, c, out, elements(a))
    return out


def activation(x, kind, slope):
    check("activation", kind in ACTIVATIONS, f"'{kind}' is none of {', '.join(ACTIVATIONS)}")
    check_floats("activation", ("x", x))
    x = contiguous(x)
    y = empty(x)
    _flat_launch("activations.py", "activation", x, x, y, elements(x), float(slope), KIND=kind)
    return y


def activation_backward(x, dy, kind, slope):
    x, dy = contiguous(x), contiguous(dy)
    dx = empty(x)
    _flat_launch("activations.py", "activation_backward", x, x, dy, dx, elements(x), float(slope), KIND=kind)
    return dx


def swiglu(gate, up):
    _same_shapes("swiglu", ("gate", gate), ("up", up))
    gate, up = contiguous(gate), contiguous(up)
    out = empty(gate)
    _flat_launch("swiglu.py", "swiglu", gate, gate, up, out, elements(gate))
    return out


def swiglu_backward(gate, up, dout):
    gate, up, dout = contiguous(gate), contiguous(up), contiguous(dout)
    dgate, dup = empty(gate), empty(up)
    _flat_launch("swiglu.py", "swiglu_backward", gate, gate, up, dout, dgate, dup, elements(gate))
    return dgate, dup


def dropout(x, p, seed):
    check_floats("dropout", ("x", x))
    check("dropout", 0 <= p < 1, f"p is the share that is dropped, from 0 to below 1; got {p}")
    x = contiguous(x)
    y = empty(x)
    _flat_launch("dropout.py", "dropout", x, x, y, elements(x), float(p), int(seed))
    return y


def rotary(x, cos, sin, interleaved, backward):
    check_floats("rotary", ("x", x))
    check("rotary", len(x.shape) == 4, f"x must be batch x tokens x heads x size, got {shape_text(x)}")
    batch, tokens, heads, size = x.shape
    half = size // 2
    check("rotary", size % 2 == 0, f"the size of a head must be even, got {size}")
    for name, table in (("cos", cos), ("sin", sin)):
        check("rotary", tuple(table.shape) == (tokens, half), f"'{name}' must have shape {[tokens, half]}, got {shape_text(table)}")
    x, cos, sin = contiguous(x), contiguous(cos), contiguous(sin)
    out = empty(x)
    # On a CPU a head is a block of its own: 4 x 1024 tokens of 32 heads take 3.6 ms, 6.5 where a block has four heads.
    block_heads = min(4, next_power_of_2(heads)) if on_gpu(x) else 1
    launch("rotary.py", "rotary", (batch * tokens,), x, out, cos, sin, tokens, heads, half, *strides(x)[:3], *strides(out)[:3],
           INTERLEAVED=bool(interleaved), BACKWARD=bool(backward), BLOCK_HEADS=block_heads, BLOCK_HALF=next_power_of_2(half))
    return out


def _planes(function, x, exactly=None):
    check(function, len(x.shape) >= 2, f"a picture has at least height and width, got shape {shape_text(x)}")
    check_size(function, ("x", x))
    if exactly:
        check(function, len(x.shape) == 3 and x.shape[0] == exactly, f"x must be {exactly} x height x width, got {shape_text(x)}")
    x = contiguous(x)
    height, width = x.shape[-2:]
    return x, elements(x) // max(1, height * width), height, width


def _tile(width):
    """(rows, columns) of 2048 pixels: as wide as the picture allows, so that each plane is a long stream. On a CPU sepia of 4096 x 4096 takes 8 ms in tiles of
    1 x 2048, 11 ms in 4 x 512 and twice that in 16 x 128."""
    columns = max(64, min(2048, next_power_of_2(width)))
    return 2048 // columns, columns


def _launch_picture(name, x, out, height, width):
    rows, columns = _tile(width)
    launch(f"{name}.py", name, (cdiv(height, rows), cdiv(width, columns)), x, out, height, width, BLOCK_H=rows, BLOCK_W=columns)


def greyscale(x):
    check_floats("greyscale", ("x", x))
    x, _, height, width = _planes("greyscale", x, 3)
    out = empty(x, (height, width))
    _launch_picture("greyscale", x, out, height, width)
    return out


def sepia(x):
    check_floats("sepia", ("x", x))
    x, _, height, width = _planes("sepia", x, 3)
    out = empty(x)
    _launch_picture("sepia", x, out, height, width)
    return out


def filter2d(x, weights, border, anchor_y, anchor_x):
    check("filter2d", border in ("zero", "clamp"), f"border is zero or clamp, got '{border}'")
    check("filter2d", type_name(x) in ("uint8", "float16", "bfloat16", "float32", "float64"), f"x is {type_name(x)}; bytes or floats are needed")
    check("filter2d", len(weights.shape) == 2 and elements(weights) > 0, f"weights are a matrix, got shape {shape_text(weights)}")
    size_y, size_x = weights.shape
    check("filter2d", size_y * size_x <= 1024, f"a filter has at most 1024 weights, got {size_y} x {size_x}: each is a step of the unrolled kernel")
    anchor_y, anchor_x = (size // 2 if anchor < 0 else anchor for size, anchor in ((size_y, anchor_y), (size_x, anchor_x)))
    x, planes, height, width = _planes("filter2d", x)
    weights = contiguous(weights)
    out = empty(x)
    # On a CPU the rows that neighbouring rows of a tile share stay in the cache: 5 x 5 weights on 1920 x 1080 take 0.58 ms in tiles of 32 x 256, 0.72 in 16 x 128.
    tile_height, tile_width = (16, 128) if on_gpu(x) else (32, 256)
    launch("filter2d.py", "filter2d", (planes, cdiv(height, tile_height), cdiv(width, tile_width)), x, out, weights, height, width, SIZE_Y=size_y, SIZE_X=size_x,
           ANCHOR_Y=anchor_y, ANCHOR_X=anchor_x, BORDER=border, BLOCK_H=tile_height, BLOCK_W=tile_width)
    return out
