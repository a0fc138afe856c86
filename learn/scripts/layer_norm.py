"""Layer normalisation as one kernel against separate operations: a row is read once and used from registers."""

import numpy as np
from common import Unfused, arguments, engine_line, show

import tilewise.ops as ops

small = arguments(__doc__).small
rows, columns = (64, 100) if small else (8192, 512)
random = np.random.default_rng(0)
values = {"x": random.standard_normal((rows, columns)).astype(np.float32), "weight": random.standard_normal(columns).astype(np.float32),
          "bias": random.standard_normal(columns).astype(np.float32)}
unfused = Unfused(
    ("mean", lambda x: x.mean(axis=1, keepdims=True), ("x",)),
    ("centred", np.subtract, ("x", "mean")),
    ("squares", np.square, ("centred",)),
    ("variance", lambda squares: squares.mean(axis=1, keepdims=True), ("squares",)),
    ("deviation", lambda variance: np.sqrt(variance + np.float32(1e-5)), ("variance",)),
    ("normal", np.divide, ("centred", "deviation")),
    ("scaled", np.multiply, ("normal", "weight")),
    ("y", np.add, ("scaled", "bias")),
)
engine_line()
show(f"layer norm {rows} x {columns}", unfused, values, lambda: ops.layer_norm(**values), 2 * values["x"].nbytes,
     unfused.run({name: value.astype(float) for name, value in values.items()}), ops.layer_norm(**values),
     lambda F, x, weight, bias: F.layer_norm(x, (columns,), weight, bias), 0.05 if small else 1)
