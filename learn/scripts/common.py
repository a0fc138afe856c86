"""What the scripts share: timing, counting what separate operations move, and the lines they print."""

import argparse
import importlib.util
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


def torch_ms(own, values, seconds):
    """The same by PyTorch's own operator, `own(torch.nn.functional, **tensors)`, in milliseconds; None where PyTorch is not installed."""
    if importlib.util.find_spec("torch") is None:
        return None
    import torch
    tensors = {name: torch.from_numpy(value) for name, value in values.items()}
    with torch.no_grad():
        return best_ms(lambda: own(torch.nn.functional, **tensors), seconds)


def megabytes(bytes):
    return f"{bytes / 1e6:.1f} MB"


def show(name, unfused, values, fused, fused_bytes, expected, got, own, seconds):
    """The times with launches and traffic, the speed-up, and whether the results agree."""
    launches, moved = unfused.traffic(values)
    slow, fast = best_ms(lambda: unfused.run(values), seconds), best_ms(fused, seconds)
    error = float(np.max(np.abs(got - expected)))
    print(f"{name}")
    print(f"numpy, unfused: {slow:8.3f} ms ({launches} operations, {megabytes(moved)} memory traffic)")
    if theirs := torch_ms(own, values, seconds):
        print(f"PyTorch's own:  {theirs:8.3f} ms")
    print(f"fused kernel:   {fast:8.3f} ms (1 kernel launch, {megabytes(fused_bytes)} memory traffic)")
    print(f"Speedup: {slow / fast:.2f}x; largest difference {error:.1e}")
    if not error < 1e-3:
        sys.exit(f"{name}: the results differ")
    return slow / fast


def engine_line():
    print(f"Tilewise {tilewise.__version__} on the CPU engine; with a GPU and torch the same kernels run there")
