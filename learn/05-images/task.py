"""What step 5 asks for."""

import numpy as np

from tilewise.learn.task import Case, Task

MIX = np.array([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]])


def rival(v):
    return np.minimum(np.tensordot(MIX.astype(np.float32), v["x_ptr"], axes=1), 1)


def case(height, width, block_h=4, block_w=8):
    x = np.random.default_rng(5).random((3, height, width)).astype(np.float32)
    return Case(f"{height} x {width} pixels", (-(-height // block_h), -(-width // block_w)),
                dict(x_ptr=x, out_ptr=np.zeros_like(x), height=height, width=width, BLOCK_H=block_h, BLOCK_W=block_w),
                dict(out_ptr=np.minimum(np.tensordot(MIX, x.astype(float), axes=1), 1)))


TASK = Task("sepia", lambda: [case(6, 20), case(8, 16), case(1, 1), case(13, 33)],
            ["y = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]", "inside = (y < height) & (x < width)",
             "g = tl.load(x_ptr + plane + at, mask=inside)", "tl.store(out_ptr + at, tl.minimum(0.393 * r + 0.769 * g + 0.189 * b, 1.0), mask=inside)"],
            bench=lambda: case(2048, 2048, 16, 128), rival=rival, read_once=("x_ptr",))
