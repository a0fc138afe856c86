"""What step 10 asks for."""

import numpy as np

import tilewise
from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def case(n, block):
    x = np.random.default_rng(10).random(n).astype(np.float32)
    return Case(f"n = {n}, BLOCK = {block}", (-(-n // block),), dict(x_ptr=x, y_ptr=np.zeros(n, np.float32), factor=2.0, n=n, BLOCK=block),
                dict(y_ptr=x * 2))


def tunes(module):
    configs, key = module.CONFIGS, module.KEY
    if not isinstance(configs, (list, tuple)) or not all(isinstance(config, tilewise.Config) for config in configs):
        return "CONFIGS must be a list of triton.Config"
    blocks = sorted({config.kwargs.get("BLOCK", 0) for config in configs})
    if len(blocks) < 3:
        return f"CONFIGS has {len(blocks)} different block sizes; give it at least 3"
    if any(block < 1 or block & (block - 1) for block in blocks):
        return f"blocks are powers of two; got {blocks}"
    if blocks[-1] < 8 * blocks[0]:
        return f"the blocks {blocks} are much alike: let the largest be at least 8 times the smallest"
    if list(key) != ["n"]:
        return f"the best block depends on how many elements there are: KEY should be ['n'], not {list(key)}"
    n = 5000
    x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
    module.scale[lambda meta: (tilewise.cdiv(n, meta["BLOCK"]),)](x, y, 3.0, n)
    if not (y == 3).all():
        return "tuned, the kernel computes something else"
    print(f"on this machine, for n = {n}, the fastest of {blocks} is {module.scale.best_config.kwargs['BLOCK']}")
    return None


def picture(shown):
    from tilewise.testing import do_bench
    kernel, blocks = shown.kernel(), (32, 256, 2048, 16384, 131072)
    times = [(f"BLOCK = {block}", 1e3 * do_bench(lambda: kernel[large.grid](**large.arguments), warmup=2, rep=20, return_mode="median"))
             for block in blocks for large in [case(1 << 20, block)]]
    return bars("a million elements on this machine, by the size of a block", times, " us")


def tuned(n):
    """A launch whose block the configs choose."""
    made = case(n, 1024)
    made.grid = lambda meta: (tilewise.cdiv(n, meta["BLOCK"]),)
    made.says = f"n = {n}, tuned"
    return made


TASK = Task("scale", lambda: [case(100, 32), case(1000, 256)],
            ["CONFIGS = [triton.Config({\"BLOCK\": block}) for block in (128, 1024, 8192)]", "KEY = [\"n\"]"], also=tunes,
            bench=lambda: tuned(1 << 22), rival=lambda v: np.multiply(v["x_ptr"], 2, out=v["y_ptr"]), picture=picture)
