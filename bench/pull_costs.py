"""What it takes to compute a register of results by one op, beside plain arithmetic: the figures behind PullCosts.h and NestLanes.cpp.

    PYTHONPATH=build/release/python TILEWISE_NUM_THREADS=1 python bench/pull_costs.py

Each kernel runs an op many times over a block that stays in the first-level cache. Printed is the time per register of fp32, less that of the
same loop without the op, in units of an addition; the least of many runs, so other load on the machine does not show."""

import math
import time

import tilewise as triton
import tilewise.language as tl
import torch
from tilewise.language.extra import libdevice

SIZE, ROUNDS, RUNS = 1024, 400, 60


@triton.jit
def walk(x_ptr, y_ptr, z_ptr, index_ptr, rounds, OP: tl.constexpr, SIZE: tl.constexpr):
    offsets = tl.arange(0, SIZE)
    for _ in range(rounds):
        x = tl.load(x_ptr + offsets)
        if OP == "8 additions":
            for _ in tl.static_range(8):
                x = x + 1.5
        elif OP == "load":
            x = x + tl.load(y_ptr + offsets)
        elif OP == "masked load":
            x = x + tl.load(y_ptr + offsets, mask=offsets < rounds * 2, other=0.0)
        elif OP == "load of every third":
            x = x + tl.load(y_ptr + offsets * 3)
        elif OP == "gather":
            x = x + tl.load(y_ptr + tl.load(index_ptr + offsets))
        elif OP == "division":
            x = x / tl.load(y_ptr + offsets)
        elif OP == "integer division":
            x = (tl.load(index_ptr + offsets) // (x.to(tl.int32) + 3)).to(tl.float32)
        elif OP == "integer division by a scalar":
            x = (tl.load(index_ptr + offsets) // rounds).to(tl.float32)
        elif OP == "integer division by 7":
            x = (tl.load(index_ptr + offsets) // 7).to(tl.float32)
        elif OP == "exp":
            x = tl.exp(x)
        elif OP == "log":
            x = tl.log(x)
        elif OP == "sin":
            x = tl.sin(x)
        elif OP == "asin, a formula in fp64":
            x = libdevice.asin(x)
        elif OP == "lgamma, a call":
            x = libdevice.lgamma(x)
        tl.store(z_ptr + offsets, x)


@triton.jit
def twice(x_ptr, y_ptr, z_ptr, index_ptr, rounds, OP: tl.constexpr, SIZE: tl.constexpr):
    """A block of `OP` additions that two nests pull: computed by both, or kept in scratch by the first."""
    offsets = tl.arange(0, SIZE)
    for _ in range(rounds):
        x = tl.load(x_ptr + offsets)
        for _ in tl.static_range(OP):
            x = x + 1.5
        tl.store(z_ptr + offsets, x - tl.sum(x))


def nanoseconds(kernel, op, tensors):
    """Per register of 16 fp32."""
    best = math.inf
    for _ in range(RUNS):
        start = time.perf_counter_ns()
        kernel[(1,)](*tensors, ROUNDS, OP=op, SIZE=SIZE)
        best = min(best, time.perf_counter_ns() - start)
    return best / ROUNDS / (SIZE / 16)


def main():
    x, y, z = torch.rand(SIZE) * 0.9 + 0.05, torch.rand(3 * SIZE) + 0.5, torch.zeros(SIZE)
    tensors = x, y, z, torch.randperm(SIZE, dtype=torch.int32)
    bare = nanoseconds(walk, "nothing", tensors)
    unit = (nanoseconds(walk, "8 additions", tensors) - bare) / 8
    print(f"{'an addition':28} {1:6.1f}   ({unit:.2f} ns)")
    for op in ("load", "masked load", "load of every third", "gather", "division", "integer division", "integer division by a scalar", "integer division by 7", "exp", "log", "sin", "asin, a formula in fp64", "lgamma, a call"):
        print(f"{op:28} {(nanoseconds(walk, op, tensors) - bare) / unit:6.1f}")
    print("two nests that pull n additions, n from 0:", *(f"{nanoseconds(twice, n, tensors) / unit:.1f}" for n in range(13)))


if __name__ == "__main__":
    main()
