"""Functions of each element, and of pictures: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import cdiv, check, check_floats, check_size, contiguous, elements, empty, next_power_of_2, shape_text, strides, type_name
from .launches import launch

ACTIVATIONS = ("relu", "leaky_relu", "gelu", "gelu_tanh", "silu")


def _flat_launch(file, name, like, *arguments, **constants):
    count = elements(like)
    launch(file, name, like, (count,), arguments, lambda config: ((cdiv(count, config["BLOCK"]),), {"BLOCK": config["BLOCK"]}), **constants)


def _same_shapes(function, *named):
    check_floats(function, *named)
    for name, array in named:
        check(function, array.shape == named[0][1].shape,
              lambda: f"'{name}' has shape {shape_text(array)}, but '{named[0][0]}' has {shape_text(named[0][1])}")


def multiply_add_sqrt(a, b, c):
    _same_shapes("multiply_add_sqrt", ("a", a), ("b", b), ("c", c))
    a, b, c = contiguous(a), contiguous(b), contiguous(c)
    out = empty(a)
    _flat_launch("multiply_add_sqrt.py", "multiply_add_sqrt", a, a, b, c, out, elements(a))
    return out


def activation(x, kind, slope):
    check("activation", kind in ACTIVATIONS, lambda: f"'{kind}' is none of {', '.join(ACTIVATIONS)}")
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
    check("dropout", 0 <= p < 1, lambda: f"p is the share that is dropped, from 0 to below 1; got {p}")
    x = contiguous(x)
    y = empty(x)
    _flat_launch("dropout.py", "dropout", x, x, y, elements(x), float(p), int(seed))
    return y


def rotary(x, cos, sin, interleaved, backward):
    check_floats("rotary", ("x", x))
    check("rotary", len(x.shape) == 4, lambda: f"x must be batch x tokens x heads x size, got {shape_text(x)}")
    batch, tokens, heads, size = x.shape
    half = size // 2
    check("rotary", size % 2 == 0, lambda: f"the size of a head must be even, got {size}")
    for name, table in (("cos", cos), ("sin", sin)):
        check("rotary", tuple(table.shape) == (tokens, half), lambda: f"'{name}' must have shape {[tokens, half]}, got {shape_text(table)}")
    x, cos, sin = contiguous(x), contiguous(cos), contiguous(sin)
    out = empty(x)
    launch("rotary.py", "rotary", x, (batch * tokens, heads, half),
           (x, out, cos, sin, tokens, heads, half, *strides(x)[:3], *strides(out)[:3]),
           lambda config: ((batch * tokens,), {"BLOCK_HEADS": min(config["BLOCK_HEADS"], next_power_of_2(heads))}),
           INTERLEAVED=bool(interleaved), BACKWARD=bool(backward), BLOCK_HALF=next_power_of_2(half))
    return out


def _planes(function, x, exactly=None):
    check(function, len(x.shape) >= 2, lambda: f"a picture has at least height and width, got shape {shape_text(x)}")
    check_size(function, ("x", x))
    if exactly:
        check(function, len(x.shape) == 3 and x.shape[0] == exactly, lambda: f"x must be {exactly} x height x width, got {shape_text(x)}")
    x = contiguous(x)
    height, width = x.shape[-2:]
    return x, elements(x) // max(1, height * width), height, width


def _launch_picture(name, x, out, height, width):

    def plan(config):
        # As wide as the picture allows, so that each plane is a long stream.
        columns = max(64, min(config["BLOCK_W"], next_power_of_2(width)))
        rows = max(1, config["PIXELS"] // columns)
        return (cdiv(height, rows), cdiv(width, columns)), {"BLOCK_H": rows, "BLOCK_W": columns}

    launch(f"{name}.py", name, x, (height, width), (x, out, height, width), plan)


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
    check("filter2d", border in ("zero", "clamp"), lambda: f"border is zero or clamp, got '{border}'")
    check("filter2d", type_name(x) in ("uint8", "float16", "bfloat16", "float32", "float64"), lambda: f"x is {type_name(x)}; bytes or floats are needed")
    check("filter2d", len(weights.shape) == 2 and elements(weights) > 0, lambda: f"weights are a matrix, got shape {shape_text(weights)}")
    size_y, size_x = weights.shape
    check("filter2d", size_y * size_x <= 1024, lambda: f"a filter has at most 1024 weights, got {size_y} x {size_x}: each is a step of the unrolled kernel")
    anchor_y, anchor_x = (size // 2 if anchor < 0 else anchor for size, anchor in ((size_y, anchor_y), (size_x, anchor_x)))
    x, planes, height, width = _planes("filter2d", x)
    weights = contiguous(weights)
    out = empty(x)

    def plan(config):
        tile_height, tile_width = config["BLOCK_H"], config["BLOCK_W"]
        return (planes, cdiv(height, tile_height), cdiv(width, tile_width)), {"BLOCK_H": tile_height, "BLOCK_W": tile_width}

    launch("filter2d.py", "filter2d", x, (planes * height, width, size_y * size_x), (x, out, weights, height, width), plan, SIZE_Y=size_y, SIZE_X=size_x,
           ANCHOR_Y=anchor_y, ANCHOR_X=anchor_x, BORDER=border)
    return out
