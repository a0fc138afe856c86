"""What step 14 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def softmax(x):
    weight = np.exp(x - x.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def differences(x, dy, step=1e-5):
    """d sum(softmax(x) * dy) / dx by difference quotients, column by column."""
    dx = np.empty_like(x)
    for column in range(x.shape[1]):
        more, less = x.copy(), x.copy()
        more[:, column] += step
        less[:, column] -= step
        dx[:, column] = ((softmax(more) - softmax(less)) * dy).sum(axis=1) / (2 * step)
    return dx


def case(rows, columns, by_formula=False):
    random = np.random.default_rng(14)
    x, dy = random.standard_normal((rows, columns)), random.standard_normal((rows, columns))
    y = softmax(x)
    expected = y * (dy - (y * dy).sum(axis=1, keepdims=True)) if by_formula else differences(x, dy)
    y, dy = y.astype(np.float32), dy.astype(np.float32)
    return Case(f"{rows} rows of {columns}", (rows,),
                dict(dx_ptr=np.zeros_like(y), y_ptr=y, dy_ptr=dy, stride=columns, columns=columns, BLOCK=1 << (columns - 1).bit_length()),
                dict(dx_ptr=expected), 1e-5)


def picture(shown):
    counted = shown.moved() / shown.case.arguments["y_ptr"].size
    return bars("values that move per element; the last line is counted in a launch",
                [("y * dy", 3), ("sum", 1), ("dy - sum", 2), ("y * ...", 3), ("all four", 9), ("one kernel", counted)])


TASK = Task("softmax_backward", lambda: [case(3, 8), case(4, 13)],
            ["column = tl.arange(0, BLOCK); at = tl.program_id(0) * stride + column; inside = column < columns", "load both with other=0.0",
             "dx = y * (dy - tl.sum(y * dy, axis=0))"],
            bench=lambda: case(2048, 1024, True),
            rival=lambda v: v["y_ptr"] * (v["dy_ptr"] - (v["y_ptr"] * v["dy_ptr"]).sum(axis=1, keepdims=True)), read_once=("y_ptr", "dy_ptr"), picture=picture)
