"""What step 15 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(rows, columns, block=64):
    x = np.random.default_rng(15).random((rows, columns)).astype(np.float32)
    return Case(f"{rows} rows of {columns}", (rows,), dict(x_ptr=x, out_ptr=np.zeros(rows, np.float32), columns=columns, BLOCK=block),
                dict(out_ptr=x.astype(float).sum(axis=1)), 1e-5)


def picture(shown):
    rows = shown.case.grid[0]
    return bars("loads and stores that a program makes for a row of 200", [("one element at a time", shown.trace("exercise").accesses / rows),
                                                                         ("a block of 64 at a time", shown.trace().accesses / rows)])


TASK = Task("row_sums", lambda: [case(3, 200), case(2, 1000)],
            ["acc is a block of BLOCK sums; each turn of the loop adds a block to it", "step 12 has the same loop", "tl.sum(acc, axis=0) once, after the loop"],
            bench=lambda: case(1024, 4096, 1024), rival=lambda v: v["x_ptr"].sum(axis=1), most_accesses=20, read_once=("x_ptr",), picture=picture)
