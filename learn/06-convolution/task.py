"""What step 6 asks for."""

import numpy as np

from tilewise.learn.picture import shades
from tilewise.learn.task import Case, Task

SOBEL = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]


def convolved(x, weights):
    size = len(weights)
    padded = np.pad(x, ((0, 0), (0, size), (0, size)))
    return sum(weights[dy][dx] * padded[:, dy:dy + x.shape[1], dx:dx + x.shape[2]] for dy in range(size) for dx in range(size))


def case(planes, height, width, weights=SOBEL, block_h=4, block_w=8):
    x = np.random.default_rng(6).random((planes, height, width)).astype(np.float32)
    weights = np.array(weights, np.float32)
    return Case(f"{planes} planes of {height} x {width}, {len(weights)} x {len(weights)} weights", (planes, -(-height // block_h), -(-width // block_w)),
                dict(in_ptr=x, out_ptr=np.zeros_like(x), weights_ptr=weights, height=height, width=width, SIZE=len(weights), BLOCK_H=block_h,
                     BLOCK_W=block_w), dict(out_ptr=convolved(x.astype(float), weights.astype(float))))


def picture(shown):
    """A disc, and its vertical edges."""
    y, x = np.mgrid[0:14, 0:30]
    disc = ((y - 6.5)**2 / 36 + (x - 14.5)**2 / 144 < 1).astype(np.float32)[None]
    edges = case(1, 14, 30)
    edges.arguments["in_ptr"] = disc
    shown.kernel()[edges.grid](**edges.arguments)
    return shades("a disc, and what Sobel's weights make of it: 0 where nothing changes from left to right", [disc[0], np.abs(edges.arguments["out_ptr"][0]) / 4])


TASK = Task("convolve", lambda: [case(1, 8, 16), case(3, 7, 13), case(2, 9, 9, np.eye(5) / 5)],
            ["acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)", "inside = (y + dy < height) & (x + dx < width): the shifted pixel, not the own one",
             "weight = tl.load(weights_ptr + dy * SIZE + dx)", "the store's mask is (y < height) & (x < width)"],
            bench=lambda: case(3, 1024, 1024, SOBEL, 16, 128), rival=lambda v: convolved(v["in_ptr"], v["weights_ptr"]), picture=picture)
