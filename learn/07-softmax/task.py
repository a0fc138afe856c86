"""What step 7 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def rival(v):
    x = v["in_ptr"]
    weight = np.exp(x - x.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def case(rows, columns, scale=1.0, says=""):
    x = (np.random.default_rng(7).standard_normal((rows, columns)) * scale).astype(np.float32)
    block = 1 << (columns - 1).bit_length()
    return Case(says or f"{rows} rows of {columns}", (rows,),
                dict(out_ptr=np.zeros_like(x), in_ptr=x, out_stride=columns, in_stride=columns, columns=columns, BLOCK=block),
                dict(out_ptr=rival({"in_ptr": x.astype(float)})))


def picture(shown):
    counted = shown.moved() / shown.case.arguments["in_ptr"].size
    return bars("values that move per element; the last line is counted in a launch",
                [("max", 1), ("x - max", 2), ("exp", 2), ("sum", 1), ("divide", 2), ("all five", 8), ("one kernel", counted)])


TASK = Task("softmax", lambda: [case(3, 16), case(5, 13), case(2, 1), case(4, 30, 100.0, "values of up to 300")],
            ['x = tl.load(in_ptr + row * in_stride + column, mask=inside, other=-float("inf"))', "weight = tl.exp(x - tl.max(x, axis=0))",
             "y = weight / tl.sum(weight, axis=0)"],
            bench=lambda: case(2048, 1024), rival=rival, rival_name="five operations of numpy", read_once=("in_ptr",), picture=picture)
