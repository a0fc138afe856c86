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


def greyscale(xp, quick):
    side = 32 if quick else 4096
    scaled = lambda factor: lambda channel: xp.multiply(channel, factor)
    steps = Separate(("r", scaled(0.299), ("red",)), ("g", scaled(0.587), ("green",)), ("b", scaled(0.114), ("blue",)), ("rg", xp.add, ("r", "g")), ("y", xp.add, ("rg", "b")),
                     views={"red": lambda x: x[0], "green": lambda x: x[1], "blue": lambda x: x[2]})
    return Case("greyscale", f"3 x {side} x {side}", {"x": xp.uniform(3, side, side)}, ops.greyscale, steps)


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
    steps = Separate(*norm_steps(xp), ("product", lambda y, w: xp.matmul(y, xp.turned(w)), ("y", "w")), ("z", xp.add, ("product", "b")),
                     ("half", lambda z: xp.multiply(z, 0.5), ("z",)), ("arm", lambda z: xp.divide(z, 2**0.5), ("z",)), ("bell", xp.erf, ("arm",)),
                     ("one", lambda bell: xp.add(bell, 1), ("bell",)), ("gelu", xp.multiply, ("half", "one")))
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
MAKERS = {maker.__name__: maker for maker in (multiply_add_sqrt, softmax, layer_norm, rms_norm, swiglu, greyscale, matmul_relu, norm_linear, attention)}
