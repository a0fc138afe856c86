"""What step 3 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(n, block, dtype=np.float32):
    random = np.random.default_rng(n)
    x, y = (random.integers(-50, 50, n).astype(dtype) for _ in range(2))
    return Case(f"n = {n}, BLOCK = {block}", (-(-n // block),), dict(x_ptr=x, y_ptr=y, z_ptr=np.zeros(n, dtype), n=n, BLOCK=block), dict(z_ptr=x + y), 0)


TASK = Task("add", lambda: [case(10, 4), case(64, 16), case(1000, 256), case(1, 64), case(100, 32, np.int32)],
            ["the last step showed steps 1 and 2", "x = tl.load(x_ptr + at, mask=inside), and y alike", "tl.store(z_ptr + at, z, mask=inside)"],
            bench=lambda: case(1 << 22, 8192), rival=lambda v: np.add(v["x_ptr"], v["y_ptr"], out=v["z_ptr"]), read_once=("x_ptr", "y_ptr"))
