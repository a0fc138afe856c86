"""What waiting for a GPU kernel costs: one more variant, from its text to a loaded module, and the first kernel of a process; Tilewise beside Triton.

usage: gpu_start.py [--rounds N]

Nothing is read from a cache on disk. A variant differs in one constant; both compilers' variants are made in turns. The first kernel of a process
counts from where torch has made the CUDA context to where the kernel has run, the compiler's import included.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

FOLDER = tempfile.mkdtemp()
os.environ.update(TILEWISE_CACHE_MB="0", TRITON_ALWAYS_COMPILE="1", TRITON_CACHE_DIR=FOLDER)

FIRST = """
import sys, time, torch
x = torch.randn({size}, device="cuda"); y = torch.empty_like(x); torch.cuda.synchronize()
start = time.perf_counter()
sys.path.insert(0, {here!r})
from gpu_table import load
module = load({source!r}, {compiler!r})
{launch}
torch.cuda.synchronize()
print(time.perf_counter() - start)
"""


def works(torch, table):
    """name -> a function of a compiler that gives a function of a number: launches a variant of its own."""
    f32 = torch.randn(1 << 20, device="cuda")
    out = torch.empty_like(f32)
    a, b = (torch.randn(512, 512, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    q, k, v, o = (torch.randn(1, 1, 1024, 128, device="cuda", dtype=torch.float16) for _ in range(4))

    def add(compiler):
        kernel = table.load(table.KERNELS / "vector_add.py", compiler).vector_add
        return lambda i: kernel[(8,)](f32, f32, out, 1 << 13, 1024, maxnreg=64 + 8 * i)

    def softmax(compiler):
        kernel = table.load(table.KERNELS / "softmax.py", compiler).softmax
        return lambda i: kernel[(8,)](out, f32, 1000, 1000, 1000, 1024, maxnreg=64 + 8 * i)

    def matmul(compiler):
        kernel = table.load(table.HERE / "gpu_kernels.py", compiler).matmul
        return lambda i: kernel[(16,)](a, b, c, 512, 512, 512, 512, 1, 512, 1, 512, 1, 128, 128, 64, 1 + i, "", "ieee", num_warps=8, num_stages=3)

    def attention(compiler):
        kernel = table.load(table.HERE / "gpu_kernels.py", compiler).attention
        return lambda i: kernel[(8, 1)](q, k, v, o, 1024, 0.1, q.stride(1), q.stride(2), 128, 128, 64, i % 2 == 0, num_warps=8, num_stages=2 + i // 2)

    return {"add": add, "softmax": softmax, "matmul": matmul, "attention": attention}


def variants(rounds):
    import gpu_table as table
    import torch

    print("one more variant, ms      Tilewise   Triton   of Triton")
    for name, make in works(torch, table).items():
        launchers = {compiler: make(compiler) for compiler in table.COMPILERS}
        times = {compiler: [] for compiler in launchers}
        for i in range(rounds):
            for compiler, launch in launchers.items():
                torch.cuda.synchronize()
                start = time.perf_counter()
                launch(i)
                times[compiler].append(time.perf_counter() - start)
        medians = {compiler: statistics.median(one[1:]) * 1e3 for compiler, one in times.items()}
        print(f"{name:24}" + "".join(f"{one:10.1f}" for one in medians.values())
              + (f"{medians['Tilewise'] / medians['Triton']:11.2f}" if "Triton" in medians else ""), flush=True)


def first_kernels(rounds):
    import gpu_table as table

    print("first kernel, ms          Tilewise   Triton   of Triton")
    launches = {
        "add": ("vector_add.py", 8192, "module.vector_add[(8,)](x, x, y, 8192, 1024)"),
        "softmax": ("softmax.py", 8192, "module.softmax[(8,)](y, x, 1000, 1000, 1000, 1024)"),
    }
    for name, (source, size, launch) in launches.items():
        medians = {}
        for compiler in table.COMPILERS:
            times = []
            for i in range(rounds):
                text = FIRST.format(size=size, here=str(table.HERE), source=str(table.KERNELS / source), compiler=compiler, launch=launch)
                environment = dict(os.environ, TRITON_CACHE_DIR=tempfile.mkdtemp())
                done = subprocess.run([sys.executable, "-c", text], env=environment, capture_output=True, text=True, check=True)
                times.append(float(done.stdout.split()[-1]))
            medians[compiler] = statistics.median(times) * 1e3
        print(f"{name:24}" + "".join(f"{one:10.0f}" for one in medians.values())
              + (f"{medians['Tilewise'] / medians['Triton']:11.2f}" if "Triton" in medians else ""), flush=True)


def launch_costs():
    import gpu_table as table
    import torch

    print("launch from Python, us (host alone, queue never full)")
    x = torch.zeros(1024, device="cuda")
    for compiler in table.COMPILERS:
        kernel = table.load(table.KERNELS / "vector_add.py", compiler).vector_add
        best = float("inf")
        for _ in range(40):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(300):
                kernel[(1,)](x, x, x, 1024, 1024)
            best = min(best, (time.perf_counter() - start) / 300)
        print(f"  {compiler}, 4 arguments and a constant: {best * 1e6:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5, help="how many variants or processes of each (default: 5)")
    options = parser.parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    launch_costs()
    variants(options.rounds)
    first_kernels(options.rounds)


if __name__ == "__main__":
    main()
