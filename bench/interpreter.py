"""Vector add in interpreter mode, Tilewise against Triton's own package: alternating runs, CPU time per program, and the ratio.

    PYTHONPATH=build/release/python python bench/interpreter.py FOLDER_WITH_TRITONS_PACKAGE

The folder holds `triton/`, as a wheel of it unpacks to. Exits with 1 when the ratio of the medians is below 20."""

import os
import statistics
import subprocess
import sys
import time

PROGRAMS, BLOCK, ROUNDS, LAUNCHES = 98, 1024, 5, 6
BAR = 20


def measure(package):
    """Microseconds of CPU time per program, the best of some launches, in this process."""
    os.environ["TRITON_INTERPRET"] = "1"
    import torch
    if package == "triton":
        import triton
        import triton.language as tl
    else:
        import tilewise as triton
        import tilewise.language as tl
    globals()["tl"] = tl

    @triton.jit
    def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
        pid = tl.program_id(0)
        offsets = pid * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        x = tl.load(x_ptr + offsets, mask=mask)
        y = tl.load(y_ptr + offsets, mask=mask)
        tl.store(out_ptr + offsets, x + y, mask=mask)

    n = PROGRAMS * BLOCK - 7
    x, y, out = torch.rand(n), torch.rand(n), torch.zeros(n)
    best = float("inf")
    for _ in range(LAUNCHES):
        start = time.process_time()
        add[(PROGRAMS,)](x, y, out, n, BLOCK=BLOCK)
        best = min(best, time.process_time() - start)
    assert torch.equal(out, x + y)
    return best * 1e6 / PROGRAMS


def main(folder):
    if not os.path.isdir(os.path.join(folder, "triton")):
        sys.exit(f"{folder} holds no package 'triton'")
    taken = {"triton": [], "tilewise": []}
    for _ in range(ROUNDS):
        for package, times in taken.items():
            environment = dict(os.environ)
            if package == "triton":
                environment["PYTHONPATH"] = folder
            times.append(float(subprocess.run([sys.executable, __file__, "--measure", package], env=environment, check=True,
                                              stdout=subprocess.PIPE, text=True).stdout))
    for package, times in taken.items():
        print(f"{package:9} {statistics.median(times):8.1f} us per program   ({', '.join(f'{t:.1f}' for t in times)})")
    ratio = statistics.median(taken["triton"]) / statistics.median(taken["tilewise"])
    print(f"ratio     {ratio:8.1f}   (bar {BAR})")
    return ratio < BAR


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(measure(sys.argv[2]))
    elif len(sys.argv) == 2:
        sys.exit(main(sys.argv[1]))
    else:
        sys.exit(__doc__)
