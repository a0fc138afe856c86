"""What is compared: an operation of the kernel library, the same as separate operations, and as one operator of PyTorch where it has one."""

import dataclasses
from typing import Any, Callable, Dict, Optional

from .. import ops
from .separate import Separate, bytes_of


@dataclasses.dataclass
class Case:
    name: str
    size: str
    inputs: Dict[str, Any]
    ours: Callable
    separate: Separate
    #: One operator of PyTorch, or a few that it runs as one: function(torch.nn.functional, **inputs).
    builtin: Optional[Callable] = None
    #: Floating point operations, for what arithmetic bounds; 0 for what memory bounds.
    operations: int = 0

    def least_bytes(self, result):
        """What must move however it is done: inputs once, the result once."""
        return sum(map(bytes_of, self.inputs.values())) + bytes_of(result)


def multiply_add_sqrt(xp, quick):
    n = 4096 if quick else 1 << 24
    steps = Separate(("t", xp.multiply, ("a", "b")), ("u", xp.add, ("t", "c")), ("y", xp.sqrt, ("u",)))
    return Case("multiply_add_sqrt", f"{n}", {name: xp.uniform(n) for name in "abc"}, ops.multiply_add_sqrt, steps)


def softmax_steps(xp, source):
    return (("top", xp.top, (source,)), ("centred", xp.subtract, (source, "top")), ("weight", xp.exp, ("centred",)), ("total", xp.total, ("weight",)),
            ("share", xp.divide, ("weight", "total")))


def softmax(xp, quick):
    rows, columns = (32, 100) if quick else (4096, 4096)
    return Case("softmax", f"{rows} x {columns}", {"x": xp.normal(rows, columns)}, ops.softmax, Separate(*softmax_steps(xp, "x")), lambda F, x: F.softmax(x, -1))


def norm_steps(xp):
    return (("mean", xp.mean, ("x",)), ("centred", xp.subtract, ("x", "mean")), ("squares", xp.square, ("centred",)), ("variance", xp.mean, ("squares",)),
            ("shifted", lambda variance: xp.add(variance, 1e-5), ("variance",)), ("deviation", xp.sqrt, ("shifted",)), ("normal", xp.divide, ("centred", "deviation")),
            ("scaled", xp.multiply, ("normal", "weight")), ("y", xp.add, ("scaled", "bias")))


def layer_norm(xp, quick):
    rows, columns = (32, 100) if quick else (8192, 512)
    inputs = {"x": xp.normal(rows, columns), "weight": xp.normal(columns), "bias": xp.normal(columns)}
    return Case("layer_norm", f"{rows} x {columns}", inputs, ops.layer_norm, Separate(*norm_steps(xp)),
                lambda F, x, weight, bias: F.layer_norm(x, (columns,), weight, bias))


def rms_norm(xp, quick):
    rows, columns = (32, 100) if quick else (4096, 4096)
    steps = Separate(("squares", xp.square, ("x",)), ("mean", xp.mean, ("squares",)), ("shifted", lambda mean: xp.add(mean, 1e-6), ("mean",)),
                     ("deviation", xp.sqrt, ("shifted",)), ("normal", xp.divide, ("x", "deviation")), ("y", xp.multiply, ("normal", "weight")))
    return Case("rms_norm", f"{rows} x {columns}", {"x": xp.normal(rows, columns), "weight": xp.normal(columns)}, ops.rms_norm, steps,
                lambda F, x, weight: F.rms_norm(x, (columns,), weight, 1e-6))


def swiglu(xp, quick):
    n = 4096 if quick else 1 << 24
    steps = Separate(("minus", xp.negative, ("gate",)), ("power", xp.exp, ("minus",)), ("below", lambda power: xp.add(power, 1), ("power",)),
                     ("silu", xp.divide, ("gate", "below")), ("y", xp.multiply, ("silu", "up")))
    return Case("swiglu", f"{n}", {"gate": xp.normal(n), "up": xp.normal(n)}, ops.swiglu, steps, lambda F, gate, up: F.silu(gate) * up)


def gelu_steps(xp, source):
    return (("half", lambda z: xp.multiply(z, 0.5), (source,)), ("arm", lambda z: xp.divide(z, 2**0.5), (source,)), ("bell", xp.erf, ("arm",)),
            ("one", lambda bell: xp.add(bell, 1), ("bell",)), ("gelu", xp.multiply, ("half", "one")))


def gelu(xp, quick):
    if xp.name == "numpy":
        return None  # it has no erf
    n = 4096 if quick else 1 << 24
    return Case("gelu", f"{n}", {"x": xp.normal(n)}, ops.gelu, Separate(*gelu_steps(xp, "x")), lambda F, x: F.gelu(x))


def cross_entropy(xp, quick):
    rows, classes = (32, 100) if quick else (4096, 8192)
    steps = Separate(("top", xp.top, ("x",)), ("centred", xp.subtract, ("x", "top")), ("weight", xp.exp, ("centred",)), ("total", xp.total, ("weight",)), ("log", xp.log, ("total",)),
                     ("logs", xp.subtract, ("centred", "log")), ("chosen", xp.pick, ("logs", "target")), ("loss", xp.negative, ("chosen",)))
    return Case("cross_entropy", f"{rows} x {classes}", {"x": xp.normal(rows, classes), "target": xp.whole(classes, rows)},
                lambda x, target: ops.cross_entropy(x, target, reduction="none"), steps, lambda F, x, target: F.cross_entropy(x, target, reduction="none"))


def rotary(xp, quick):
    batch, tokens, heads, size = (1, 8, 2, 16) if quick else (4, 1024, 32, 128)
    half = size // 2
    steps = Separate(("ac", xp.multiply, ("a", "c")), ("bs", xp.multiply, ("b", "s")), ("one", xp.subtract, ("ac", "bs")), ("bc", xp.multiply, ("b", "c")), ("as", xp.multiply, ("a", "s")),
                     ("other", xp.add, ("bc", "as")), ("y", xp.joined, ("one", "other")),
                     views={"a": lambda x, **_: x[..., :half], "b": lambda x, **_: x[..., half:], "c": lambda cos, **_: cos[:, None, :], "s": lambda sin, **_: sin[:, None, :]})
    return Case("rotary", f"{batch} x {tokens} tokens, {heads} heads, {size} wide", {"x": xp.normal(batch, tokens, heads, size), "cos": xp.uniform(tokens, half), "sin": xp.uniform(tokens, half)},
                ops.rotary, steps)


def greyscale(xp, quick):
    side = 32 if quick else 4096
    scaled = lambda factor: lambda channel: xp.multiply(channel, factor)
    steps = Separate(("r", scaled(0.299), ("red",)), ("g", scaled(0.587), ("green",)), ("b", scaled(0.114), ("blue",)), ("rg", xp.add, ("r", "g")), ("y", xp.add, ("rg", "b")),
                     views={"red": lambda x: x[0], "green": lambda x: x[1], "blue": lambda x: x[2]})
    return Case("greyscale", f"3 x {side} x {side}", {"x": xp.uniform(3, side, side)}, ops.greyscale, steps)


def filter2d(xp, quick):
    planes, side = (1, 32) if quick else (3, 2048)
    places = [(dy, dx) for dy in range(3) for dx in range(3)]
    taken = lambda dy, dx: lambda padded, weights: xp.multiply(padded[:, dy:dy + side, dx:dx + side], weights[dy, dx])
    steps = [("padded", xp.padded, ("x",)), ("sum00", taken(0, 0), ("padded", "weights"))]
    for (before_y, before_x), (dy, dx) in zip(places, places[1:]):
        steps += [(f"part{dy}{dx}", taken(dy, dx), ("padded", "weights")), (f"sum{dy}{dx}", xp.add, (f"sum{before_y}{before_x}", f"part{dy}{dx}"))]
    return Case("filter2d", f"3 x 3 of {planes} x {side} x {side}", {"x": xp.uniform(planes, side, side), "weights": xp.normal(3, 3)}, ops.filter2d, Separate(*steps),
                lambda F, x, weights: F.conv2d(x[:, None], weights[None, None], padding=1)[:, 0])


def matmul(xp, quick):
    n = 32 if quick else 1024
    return Case("matmul", f"{n} x {n} x {n}", {"a": xp.normal(n, n), "b": xp.normal(n, n)}, ops.matmul, Separate(("c", xp.matmul, ("a", "b"))), lambda F, a, b: a @ b, operations=2 * n**3)


def matmul_relu(xp, quick):
    n = 32 if quick else 1024
    steps = Separate(("product", lambda x, weight: xp.matmul(x, xp.turned(weight)), ("x", "weight")), ("shifted", xp.add, ("product", "bias")),
                     ("y", lambda shifted: xp.maximum(shifted, 0), ("shifted",)))
    inputs = {"x": xp.normal(n, n), "weight": xp.normal(n, n), "bias": xp.normal(n)}
    return Case("matmul_relu", f"{n} x {n} x {n}", inputs, lambda x, weight, bias: ops.linear(x, weight, bias, activation="relu"), steps,
                lambda F, x, weight, bias: F.relu(F.linear(x, weight, bias)), operations=2 * n**3)


def norm_linear(xp, quick):
    if xp.name == "numpy":
        return None  # it has no erf
    rows, columns, outputs = (32, 48, 64) if quick else (2048, 768, 3072)
    inputs = {"x": xp.normal(rows, columns), "weight": xp.normal(columns), "bias": xp.normal(columns), "w": xp.normal(outputs, columns) * columns**-0.5, "b": xp.normal(outputs)}
    steps = Separate(*norm_steps(xp), ("product", lambda y, w: xp.matmul(y, xp.turned(w)), ("y", "w")), ("z", xp.add, ("product", "b")), *gelu_steps(xp, "z"))
    return Case("norm_linear_gelu", f"{rows} x {columns} to {outputs}", inputs, lambda x, weight, bias, w, b: ops.norm_linear(x, weight, bias, w, b, activation="gelu"), steps,
                lambda F, x, weight, bias, w, b: F.gelu(F.linear(F.layer_norm(x, (columns,), weight, bias), w, b)), operations=2 * rows * columns * outputs)


def attention(xp, quick):
    heads, tokens, head = (2, 40, 16) if quick else (8, 2048, 64)
    inputs = {name: xp.normal(1, heads, tokens, head) for name in "qkv"}
    steps = Separate(("scores", lambda q, k: xp.matmul(q, xp.turned(k)), ("q", "k")), ("scaled", lambda scores: xp.multiply(scores, head**-0.5), ("scores",)),
                     *softmax_steps(xp, "scaled"), ("y", xp.matmul, ("share", "v")))
    return Case("attention", f"{heads} heads, {tokens} tokens, {head} wide", inputs, lambda q, k, v: ops.attention(q, k, v), steps,
                lambda F, q, k, v: F.scaled_dot_product_attention(q, k, v), operations=4 * heads * tokens * tokens * head)


# A maker gives None for what a library lacks.
MAKERS = {maker.__name__: maker for maker in (multiply_add_sqrt, gelu, swiglu, softmax, layer_norm, rms_norm, cross_entropy, rotary, greyscale, filter2d,
                                              matmul, matmul_relu, norm_linear, attention)}
