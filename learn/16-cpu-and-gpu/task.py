"""What step 16 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(n, programs, block=8):
    x = np.random.default_rng(16).random(n).astype(np.float32)
    return Case(f"n = {n}, {programs} programs", (programs,), dict(x_ptr=x, y_ptr=np.zeros(n, np.float32), n=n, BLOCK=block), dict(y_ptr=x * x))


TASK = Task("square", lambda: [case(100, 3), case(100, 1), case(16, 7), case(64, 8)],
            ["start = tl.program_id(0) * BLOCK", "stride = tl.num_programs(0) * BLOCK", "at = first + tl.arange(0, BLOCK), with the mask at < n"],
            bench=lambda: case(1 << 22, 64, 8192), rival=lambda v: np.multiply(v["x_ptr"], v["x_ptr"], out=v["y_ptr"]), read_once=("x_ptr",))
