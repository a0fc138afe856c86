"""What step 12 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(rows, columns, block):
    x = np.random.default_rng(12).random((rows, columns)).astype(np.float16)
    return Case(f"{rows} rows of {columns} in fp16", (rows,), dict(x_ptr=x, out_ptr=np.zeros(rows, np.float32), columns=columns, BLOCK=block),
                dict(out_ptr=x.astype(float).sum(axis=1)), 1e-5)


TASK = Task("row_sums", lambda: [case(3, 1000, 64), case(2, 4096, 16)],
            ["which lines are in fp16? what is added, and what it is added to", "tl.zeros((BLOCK,), dtype=tl.float32), and .to(tl.float32) after the load"],
            bench=lambda: case(1024, 4096, 1024), rival=lambda v: v["x_ptr"].sum(axis=1, dtype=np.float32), read_once=("x_ptr",))
