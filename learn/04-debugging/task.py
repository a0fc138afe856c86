"""What step 4 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task


def case(n, block, dtype=np.float32):
    random = np.random.default_rng(n)
    x, y = (random.integers(-50, 50, n).astype(dtype) for _ in range(2))
    return Case(f"n = {n}, BLOCK = {block}", (-(-n // block),), dict(x_ptr=x, y_ptr=y, z_ptr=np.zeros(n, dtype), n=n, BLOCK=block), dict(z_ptr=x + y), 0)


TASK = Task("buggy_add", lambda: [case(10, 4), case(1000, 256)],
            ["all programs do the same work: what should tell them apart?", "at = pid * BLOCK + tl.arange(0, BLOCK)"],
            bench=lambda: case(1 << 22, 8192), rival=lambda v: np.add(v["x_ptr"], v["y_ptr"], out=v["z_ptr"]), picture=lambda shown: shown.writers("z_ptr", of="exercise"))
