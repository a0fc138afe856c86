"""What step 2 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(n, block):
    return Case(f"n = {n}, BLOCK = {block}", (-(-n // block),), dict(out_ptr=np.full(n, -1, np.int32), n=n, BLOCK=block),
                dict(out_ptr=np.arange(n) // block), 0)


TASK = Task("who_am_i", lambda: [case(10, 4), case(64, 16), case(3, 8)],
            ["tl.arange(0, BLOCK) counts from 0 in every program; something must move it", "at = pid * BLOCK + tl.arange(0, BLOCK)", "inside = at < n"],
            bench=lambda: case(1 << 22, 8192), rival=lambda v: np.floor_divide(np.arange(v["n"], dtype=np.int32), v["BLOCK"], out=v["out_ptr"]))
