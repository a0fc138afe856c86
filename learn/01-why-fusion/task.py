"""What step 1 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(n, block=16):
    random = np.random.default_rng(1)
    a, b, c = (random.random(n).astype(np.float32) for _ in range(3))
    return Case(f"n = {n}", (-(-n // block),), dict(a_ptr=a, b_ptr=b, c_ptr=c, out_ptr=np.zeros(n, np.float32), n=n, BLOCK=block),
                dict(out_ptr=np.sqrt(a.astype(float) * b + c)))


def picture(shown):
    n = shown.case.arguments["n"]
    return bars("values that move per element; the last line is counted in a launch", [("t = a * b", 3), ("u = t + c", 3), ("y = sqrt(u)", 2), ("all three", 8), ("one kernel", shown.moved() / n)])


TASK = Task("multiply_add_sqrt", lambda: [case(64), case(41)],
            ["a, b and c are blocks: arithmetic on them works on all elements at once", "y = tl.sqrt(a * b + c)"],
            bench=lambda: case(1 << 22, 8192), rival=lambda v: np.sqrt(v["a_ptr"] * v["b_ptr"] + v["c_ptr"]), rival_name="three operations of numpy",
            read_once=("a_ptr", "b_ptr", "c_ptr"), picture=picture)
