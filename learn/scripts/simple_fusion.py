"""A first fused kernel: softmax of rows as one launch against separate operations, with times and memory traffic."""

import numpy as np
from common import Unfused, arguments, engine_line, show

import tilewise.ops as ops

small = arguments(__doc__).small
rows, columns = (64, 100) if small else (4096, 4096)
x = np.random.default_rng(0).standard_normal((rows, columns)).astype(np.float32)
unfused = Unfused(
    ("top", lambda x: x.max(axis=1, keepdims=True), ("x",)),
    ("centred", np.subtract, ("x", "top")),
    ("weight", np.exp, ("centred",)),
    ("total", lambda weight: weight.sum(axis=1, keepdims=True), ("weight",)),
    ("y", np.divide, ("weight", "total")),
)
engine_line()
show(f"softmax {rows} x {columns}", unfused, {"x": x}, lambda: ops.softmax(x), 2 * x.nbytes, unfused.run({"x": x.astype(float)}), ops.softmax(x),
     lambda F, x: F.softmax(x, -1), 0.05 if small else 1)
