"""A sweep of BLOCK x num_warps for vector add: what each takes, which is the best, and what the autotuner chooses."""

import numpy as np
from common import arguments, best_ms, engine_line

import tilewise as triton
import tilewise.language as tl

small = arguments(__doc__).small
n = 10_000 if small else 1 << 22
x, y = (np.random.default_rng(seed).random(n).astype(np.float32) for seed in (1, 2))
z = np.zeros_like(x)
BLOCKS, WARPS = ((64, 1024) if small else (64, 128, 256, 512, 1024, 4096)), (1, 2, 4, 8)


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


engine_line()
print(f"add of {n} elements, ms:\n{'BLOCK':>7}" + "".join(f"{f'{warps} warps':>10}" for warps in WARPS))
times = {}
for block in BLOCKS:
    for warps in WARPS:
        times[block, warps] = best_ms(lambda: add[(triton.cdiv(n, block),)](x, y, z, n, BLOCK=block, num_warps=warps), 0.02 if small else 0.1)
    print(f"{block:>7}" + "".join(f"{times[block, warps]:>10.4f}" for warps in WARPS))
best = min(times, key=times.get)
print(f"best: BLOCK={best[0]}, num_warps={best[1]}; on a CPU num_warps has no effect, the rows differ by chance")
tuned = triton.autotune(configs=[triton.Config({"BLOCK": block}) for block in BLOCKS], key=["n"])(add)
tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, z, n)
assert np.array_equal(z, x + y)
print(f"the autotuner chose {tuned.best_config.kwargs}")
