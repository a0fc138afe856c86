"""What step 8 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def rival(v):
    x = v["x_ptr"]
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + v["eps"]) * v["weight_ptr"] + v["bias_ptr"]


def case(rows, columns, mean=0.0):
    random = np.random.default_rng(8)
    x = (random.standard_normal((rows, columns)) + mean).astype(np.float32)
    weight, bias = (random.standard_normal(columns).astype(np.float32) for _ in range(2))
    values = dict(x_ptr=x, y_ptr=np.zeros_like(x), weight_ptr=weight, bias_ptr=bias, stride=columns, columns=columns, eps=1e-5,
                  BLOCK=1 << (columns - 1).bit_length())
    return Case(f"{rows} rows of {columns}{f' around {mean:g}' if mean else ''}", (rows,), values,
                dict(y_ptr=rival({**values, "x_ptr": x.astype(float)})), 1e-4)


def picture(shown):
    rows = case(64, 64)  # so many rows that the weights hardly count
    counted = shown.moved(rows) / rows.arguments["x_ptr"].size
    return bars("values that move per element; the last line is counted in a launch, and half of it is weight and bias, which stay in the cache",
                [("mean", 1), ("x - mean", 2), ("square", 2), ("its mean", 1), ("divide", 2), ("* weight", 2), ("+ bias", 2), ("all seven", 12), ("one kernel", counted)])


TASK = Task("layer_norm", lambda: [case(3, 16), case(4, 13), case(2, 50, 100.0)],
            ["mean = tl.sum(x, axis=0) / columns", "centred = tl.where(inside, x - mean, 0.0)", "variance = tl.sum(centred * centred, axis=0) / columns",
             "y = centred / tl.sqrt(variance + eps) * weight + bias"],
            bench=lambda: case(2048, 1024), rival=rival, rival_name="operations of numpy", read_once=("x_ptr",), picture=picture)
