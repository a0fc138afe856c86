"""What the scripts share: timing, counting what separate operations move, and the lines they print."""

import argparse
import sys
import time

import numpy as np

import tilewise
from tilewise.comparisons.separate import Separate as Unfused  # noqa: F401 (for the scripts)


def arguments(text):
    """--small shrinks the sizes: to see whether a script runs."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--small", action="store_true", help="small sizes, short measurements")
    return parser.parse_args()


def best_ms(call, seconds=0.5):
    """The fastest of as many calls as fit; the first one compiles and does not count."""
    call()
    best, end = float("inf"), time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def megabytes(bytes):
    return f"{bytes / 1e6:.1f} MB"


def show(name, unfused, values, fused, fused_bytes, expected, got, seconds):
    """Both times with launches and traffic, the speed-up, and whether they agree."""
    launches, moved = unfused.traffic(values)
    slow, fast = best_ms(lambda: unfused.run(values), seconds), best_ms(fused, seconds)
    error = float(np.max(np.abs(got - expected)))
    print(f"{name}")
    print(f"numpy, unfused: {slow:8.3f} ms ({launches} operations, {megabytes(moved)} memory traffic)")
    print(f"fused kernel:   {fast:8.3f} ms (1 kernel launch, {megabytes(fused_bytes)} memory traffic)")
    print(f"Speedup: {slow / fast:.2f}x; largest difference {error:.1e}")
    if not error < 1e-3:
        sys.exit(f"{name}: the results differ")
    return slow / fast


def engine_line():
    print(f"Tilewise {tilewise.__version__} on the CPU engine; with a GPU and torch the same kernels run there")
