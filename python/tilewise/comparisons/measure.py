"""Times a comparison: all competitors in turn, round by round, so that a slow minute of the machine counts for each of them."""

import dataclasses
import statistics
import time
from typing import Dict, Optional

from . import upstream

# Seconds before each sample. Threads of OpenMP spin for milliseconds after a call of torch, and would take a core from whoever comes next.
REST = 0.02


@dataclasses.dataclass
class Result:
    name: str
    size: str
    device: str
    #: Competitor -> median milliseconds: unfused, torch, triton, tilewise.
    milliseconds: Dict[str, float]
    launches: int  #: of the separate operations; ours is one
    moved: int  #: bytes of the separate operations
    least: int  #: bytes that one fused kernel has to move
    operations: int
    difference: float  #: the largest, from the separate operations in double precision
    bound: str = "memory"
    #: Share of what the machine can do, of memory or of arithmetic; None where that is not known.
    share: Optional[float] = None
    #: What the history says: "", "slower than before" or "faster than before".
    mark: str = ""

    @property
    def speedup(self):
        return self.milliseconds["unfused"] / self.milliseconds["tilewise"]


class Wrong(Exception):
    """A result that differs from the separate operations in double precision."""


def competitors(case, xp, triton_kernels=None):
    """Name -> call, in the order of the table."""
    calls = {"unfused": lambda: case.separate.run(case.inputs)}
    if case.builtin is not None and xp.name == "torch":
        functional = xp.library.nn.functional
        calls["torch"] = lambda: case.builtin(functional, **case.inputs)
    launch = upstream.launches(triton_kernels).get(case.name) if triton_kernels else None
    if launch:
        out = case.ours(**case.inputs)
        calls["triton"] = lambda: launch(case.inputs, out)
    calls["tilewise"] = lambda: case.ours(**case.inputs)
    return calls


def measure(case, xp, ceilings, rounds, triton_kernels=None):
    calls = competitors(case, xp, triton_kernels)
    expected = case.separate.run({name: xp.wide(value) for name, value in case.inputs.items()})
    difference = 0.0
    for name, call in calls.items():  # the first call compiles, and is checked
        result = call()
        apart = xp.largest_difference(xp.wide(result), expected)
        if not apart < 1e-2:
            raise Wrong(f"{case.name}: {name} differs from double precision by {apart:g}")
        difference = apart if name == "tilewise" else difference
    seconds = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            xp.finish()
            time.sleep(REST)
            start = time.perf_counter()
            call()
            xp.finish()
            seconds[name].append(time.perf_counter() - start)
    milliseconds = {name: statistics.median(times) * 1e3 for name, times in seconds.items()}
    launches, moved = case.separate.traffic(case.inputs)
    found = Result(case.name, case.size, xp.device, milliseconds, launches, moved, case.least_bytes(result), case.operations, difference)
    if ceilings:
        bandwidth, peak = ceilings
        memory, arithmetic = found.least / bandwidth / 1e6, found.operations / peak / 1e6
        found.bound = "memory" if memory >= arithmetic else "arithmetic"
        found.share = max(memory, arithmetic) / milliseconds["tilewise"]
    return found
