"""Counts in the code of the NVIDIA engine, beside what is committed: gpu_counts.py TOOL [--update]; dev/counts calls it.

What a change does to the kernels of kernels/ shows here without a GPU.

    regs      registers of a thread, and
    spills    bytes of them that do not fit, by ptxas; compared where the same release of it is here
    shared    bytes of shared memory
    wide      loads, stores and copies of 16 bytes
    barriers  at which all threads meet
    converts  blocks that change their layout
    mma       matrix instructions

Where there is a ptxas, every kernel is assembled for every target, and its complaints and advisories fail the test.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from counts import H, KERNELS, P, ROOT, compare

TARGETS = [75, 80, 89, 90, 100, 120]
COLUMNS = ["regs", "spills", "shared", "wide", "barriers", "converts", "mma"]
F = "*fp16:16"
# Blocks as a GPU likes them, with the warps that share a program.
GPU_KERNELS = {
    **{name: (signature, 4) for name, signature in KERNELS.items()},
    "matmul f16 128x256": (f"{F}, {F}, {F}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64", 8),
    "matmul f16 128x128": (f"{F}, {F}, {F}, i32, i32, i32, i32, 1, i32, 1, i32, 1, 128, 128, 64", 4),
    "attention f16": (f"{F}, {F}, {F}, {F}, i32, i32, fp32, i32:16, i32:16, 128, 64, 128, True", 8),
}
# Those with warps of their own for copies; on Hopper alone.
BENCH_KERNELS = {
    "matmul beside": (f"{F}, {F}, {F}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8, 'relu', 'ieee', True", 8),
    "persistent_matmul beside": (f"{F}, {F}, {F}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 128, 256, 64, 8, True", 8),
    "attention beside": (f"{F}, {F}, {F}, {F}, i32:16, fp32, i32:16, i32:16, 128, 128, 128, True, True", 8),
}
PTX_WIDE = re.compile(r"^\s*(?:@%p\d+ )?(?:ld|st)\.\S*v4\.(?:b|f|u)32|cp\.async\.c[ag]\.shared\.global \[\S+\], \[\S+\], 16|v2\.(?:b|f|u)64", re.M)
MMA = re.compile(r"mma\.sync\.|wgmma\.mma_async")


def find_ptxas():
    return os.environ.get("TILEWISE_PTXAS") or shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def emit(tool, kernel, target, stage):
    file, _, name = kernel.split()[0].partition(":")
    path = f"kernels/{file}.py:{name or file}" if kernel in GPU_KERNELS else f"bench/gpu_kernels.py:{file}"
    signature, warps = (GPU_KERNELS | BENCH_KERNELS)[kernel]
    words = [tool, "emit", f"--stage={stage}", f"{ROOT}/{path}", "--signature", signature,
             f"--target=cuda:{target}", f"--num-warps={warps}", "-Wno-all"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{kernel} for cuda:{target}: {done.stderr}")
    return done.stdout


def assemble(ptxas, ptx, kernel):
    """Registers and spilled bytes."""
    processor = re.search(r"^\.target (\w+)", ptx, re.M)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = subprocess.run([ptxas, f"-arch={processor}", "-v", file.name, "-o", os.devnull], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if done.returncode or re.search("advisory|warning|performance loss", said, re.I):
        sys.exit(f"{kernel} for {processor}: ptxas says\n{said}")
    return re.search(r"Used (\d+) registers", said)[1], re.search(r"(\d+) bytes spill stores", said)[1]


def row(tool, ptxas, kernel, target):
    ptx, stage = emit(tool, kernel, target, "ptx"), emit(tool, kernel, target, "nvidia")
    registers, spills = assemble(ptxas, ptx, kernel) if ptxas else ("-", "-")
    shared = re.search(r"gpu.shared_bytes = (\d+)", stage)
    counts = [registers, spills, shared[1] if shared else 0, len(PTX_WIDE.findall(ptx)), ptx.count("bar.sync"),
              stage.count("gpu.convert_layout"), len(MMA.findall(ptx))]
    return f"{kernel:<30} {target:>6}" + "".join(f"{count:>10}" for count in counts)


def release_of(ptxas):
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout if ptxas else ""
    found = re.search(r"release [\d.]+, V([\d.]+)", said)
    return found[1] if found else "none"


def without_registers(table):
    """The table without what depends on ptxas."""
    return [line[:37] + line[57:] for line in table if not line.startswith("ptxas")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    ptxas = find_ptxas()
    jobs = [(given.tool, ptxas, kernel, target) for kernel in GPU_KERNELS for target in TARGETS]
    jobs += [(given.tool, ptxas, kernel, 90) for kernel in BENCH_KERNELS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = list(pool.map(lambda job: row(*job), jobs))
    now = [f"ptxas {release_of(ptxas)}", f"{'kernel':<30} {'target':>6}" + "".join(f"{column:>10}" for column in COLUMNS), *rows]
    path = pathlib.Path(__file__).with_name("nvidia.txt")
    committed = path.read_text().splitlines() if path.exists() else []
    if not given.update and committed[:1] != now[:1]:
        print(f"registers are those of {committed[0]}, here is {now[0]}: not compared")
        committed, now = without_registers(committed), without_registers(now)
        if committed != now:
            sys.exit("\n".join(f"committed {a}\nnow       {b}" for a, b in zip(committed, now) if a != b))
        return 0
    return compare(path, "\n".join(now) + "\n", given.update)


if __name__ == "__main__":
    sys.exit(main())
