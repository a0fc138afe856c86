"""What step 11 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(size, block):
    x = np.random.default_rng(11).random((size, size)).astype(np.float32)
    return Case(f"{size} x {size}", (size,), dict(x_ptr=x, y_ptr=np.zeros_like(x), size=size, stride=size, BLOCK=block), dict(y_ptr=x * 2))


def picture(shown):
    seen = {of: shown.trace(of).arguments["y_ptr"] for of in ("exercise", "solution")}
    return bars("bytes that move when a matrix of 64 x 64 is stored, in sectors of 32 bytes",
                [("what is stored", seen["exercise"].stored), ("a program for each column", seen["exercise"].stored_sectors),
                 ("a program for each row", seen["solution"].stored_sectors)])


TASK = Task("double", lambda: [case(64, 64), case(50, 64)],
            ["in a matrix that is stored by rows, neighbours in memory are neighbours in a row", "row = tl.program_id(0), column = tl.arange(0, BLOCK)"],
            bench=lambda: case(1024, 1024), rival=lambda v: np.multiply(v["x_ptr"], 2, out=v["y_ptr"]), most_waste=2.0, picture=picture)
