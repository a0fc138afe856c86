"""What step 12 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(rows, columns, block):
    x = np.random.default_rng(12).random((rows, columns)).astype(np.float16)
    return Case(f"{rows} rows of {columns} in fp16", (rows,), dict(x_ptr=x, out_ptr=np.zeros(rows, np.float32), columns=columns, BLOCK=block),
                dict(out_ptr=x.astype(float).sum(axis=1)), 1e-5)


def picture(_):
    ones = np.ones(4096, np.float16)
    sums = np.add.accumulate(ones)  # one after the other, each sum rounded to fp16
    return bars("the sum of so many ones, kept in fp16", [(f"{count} ones", float(sums[count - 1])) for count in (1024, 2048, 3072, 4096)])


TASK = Task("row_sums", lambda: [case(3, 1000, 64), case(2, 4096, 16)],
            ["which lines are in fp16? what is added, and what it is added to", "tl.zeros((BLOCK,), dtype=tl.float32), and .to(tl.float32) after the load"],
            bench=lambda: case(1024, 4096, 1024), rival=lambda v: v["x_ptr"].sum(axis=1, dtype=np.float32), read_once=("x_ptr",), picture=picture)
