"""Counts in the code of the CPU engine, beside what is committed: counts.py TOOL [--update | --compile [--update]]; dev/counts calls it.

A timing on a shared machine cannot fail a test, a count can: what a change does to the code of every kernel in kernels/ shows here, line by line.

    code      instructions of the kernel
    loops     its inner loops: no other loop inside
    inner     instructions in them
    gathers   gathers and scatters
    calls     of functions outside the kernel
    spills    instructions in inner loops that touch the stack

Loops are found in the graph of branches: what leads back to a block that every way into it passes. With --compile it counts the instructions that
a compile retires instead, by valgrind; these may be off by 3 %, since the C library is another on every system.
"""

import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TARGETS = ["x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids", "aarch64"]
COLUMNS = ["code", "loops", "inner", "gathers", "calls", "spills"]
COMPILE_TOLERANCE = 0.03
SKIPPED = 77

P = "*fp32:16"
H = "*bf16:16"
# FILE, FILE:KERNEL or FILE and what is special, with the signature.
KERNELS = {
    "copy": f"{P}, {P}, i32, 1024",
    "vector_add": f"{P}, {P}, {P}, i32, 1024",
    "greyscale": f"{P}, {P}, i32, i32:16, 4, 1024",
    "sepia": f"{P}, {P}, i32, i32:16, 4, 1024",
    "convolution:convolve": f"{P}, {P}, {P}, i32, i32:16, 3, 4, 1024",
    "dropout": f"{P}, {P}, i32, fp32, i32, 1024",
    "softmax": f"{P}, {P}, i32:16, i32:16, i32, 1024",
    "softmax_backward": f"{P}, {P}, {P}, i32:16, i32, 1024",
    "layer_norm": f"{P}, {P}, {P}, {P}, i32:16, i32, fp32, 1024",
    "layer_norm:layer_norm_linear": f"{P}, {P}, {P}, {P}, {P}, {P}, i32, i32, i32, fp32, i32:16, i32:16, i32:16, 32, 64, 64",
    "matmul": f"{P}, {P}, {P}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 64",
    "matmul bf16": f"{H}, {H}, {P}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 64",
    "matmul_fused": f"{P}, {P}, {P}, i32:16, i32:16, i32:16, i32:16, 1, i32:16, 1, i32:16, 1, 64, 64, 64, 8, None",
    "attention": f"{P}, {P}, {P}, {P}, i32, i32, fp32, i32:16, i32:16, 64, 64, 64, False",
}
COMPILED = ["vector_add", "matmul"]

LABEL = re.compile(r"^(\.?\w+):")
BRANCH = re.compile(r"^(?:j\w+|b|b\.\w+|cbn?z|tbn?z)\s.*?(\.L\w+)$")
GATHER = re.compile(r"^v?p?(?:gather|scatter)|^(?:ld1|st1)\w*\s.*\[.*,\s*z\d")
LEAVE = re.compile(r"^ret|^ud2|^brk")
CALL = re.compile(r"^(?:callq?|blr?)\s")
STACK = re.compile(r"\(%rsp\b|\[sp\b")
FRAME = re.compile(r"\(%rbp\b|\[x29\b")  # the stack as well in a function that keeps a frame
KEEPS_FRAME = re.compile(r"movq %rsp, %rbp|mov x29, sp|add x29, sp")


def parse(assembly):
    """Instructions, and the number of the instruction that each label stands before."""
    instructions, labels = [], {}
    for line in assembly.splitlines():
        line = line.split("#")[0].split("//")[0].rstrip()
        if label := LABEL.match(line):
            labels[label[1]] = len(instructions)
        elif line.startswith("\t") and not line.startswith("\t."):
            instructions.append(line.strip().replace("\t", " "))
    return instructions, labels


def blocks_of(instructions, labels):
    """Ranges of instructions that run from first to last, and for each the blocks that may come next."""
    starts = {0, *labels.values()}
    targets = {}
    for at, instruction in enumerate(instructions):
        branch = BRANCH.match(instruction)
        if branch and branch[1] in labels:
            targets[at] = labels[branch[1]]
        if branch or LEAVE.match(instruction):
            starts.add(at + 1)
    starts = sorted(start for start in starts if start < len(instructions))
    number = {start: i for i, start in enumerate(starts)}
    blocks = list(zip(starts, [*starts[1:], len(instructions)]))
    successors = []
    for start, end in blocks:
        last = instructions[end - 1]
        following = {number[targets[end - 1]]} if targets.get(end - 1) in number else set()
        if end in number and not LEAVE.match(last) and not last.startswith(("jmp ", "b ")):
            following.add(number[end])
        successors.append(following)
    return blocks, successors


def natural_loops(successors):
    """Sets of blocks by the head of their loop: what can reach a branch back to the head without passing it."""
    count = len(successors)
    predecessors = [{u for u in range(count) if v in successors[u]} for v in range(count)]
    everything = (1 << count) - 1
    dominators = [1] + [everything] * (count - 1)  # bits: blocks that every way to this one passes
    changed = True
    while changed:
        changed = False
        for v in range(1, count):
            common = everything
            for u in predecessors[v]:
                common &= dominators[u]
            common |= 1 << v
            if common != dominators[v]:
                dominators[v], changed = common, True
    loops = {}
    for u in range(count):
        for head in successors[u]:
            if not dominators[u] >> head & 1:
                continue
            body, open_ = loops.setdefault(head, {head}), [u]
            while open_:
                block = open_.pop()
                if block not in body:
                    body.add(block)
                    open_.extend(predecessors[block])
    return loops


def count(assembly):
    """The counts of one kernel's assembly text, in the order of COLUMNS."""
    instructions, labels = parse(assembly)
    blocks, successors = blocks_of(instructions, labels)
    loops = natural_loops(successors)
    inner = [body for head, body in loops.items() if not any(other != head and other in body for other in loops)]
    inside = [one for body in inner for block in body for one in instructions[slice(*blocks[block])]]
    keeps_frame = any(KEEPS_FRAME.match(one) for one in instructions)
    return [
        len(instructions),
        len(inner),
        len(inside),
        sum(bool(GATHER.match(one)) for one in instructions),
        sum(bool(CALL.match(one)) for one in instructions),
        sum(bool(STACK.search(one) or keeps_frame and FRAME.search(one)) for one in inside),
    ]


def command(tool, kernel, target):
    file, _, name = kernel.split()[0].partition(":")
    return [tool, "emit", "--stage=asm", f"--target=cpu:{target}", f"kernels/{file}.py:{name or file}", "--signature", KERNELS[kernel]]


def run(words):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("TILEWISE_", "TRITON_"))}
    result = subprocess.run(words, cwd=ROOT, env=clean, capture_output=True, text=True)
    if result.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{result.stderr}")
    return result


def code_table(tool):
    cases = [(kernel, target) for kernel in KERNELS for target in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = pool.map(lambda case: run(command(tool, *case)).stdout, cases)
        rows = [[kernel.partition(":")[2] or kernel, target, *map(str, count(text))] for (kernel, target), text in zip(cases, texts)]
    head = ["kernel", "target", *COLUMNS]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    aligned = lambda row: "  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths)))
    return "".join(aligned(row).rstrip() + "\n" for row in [head, *rows])


def retired(tool, kernel):
    """Instructions of a whole run of the tool that compiles a kernel, with line tables as for a launch."""
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command(tool, kernel, "x86-64-v3")]
    told = run([*words, "--line-tables"]).stderr
    return int(re.search(r"I\s+refs:\s+([\d,]+)", told)[1].replace(",", ""))


def report(what, told):
    print(told, end="")
    print(f"\n{what} is not what the compiler does now. If that is meant: dev/counts --update, and the commit says why.")
    return 1


def compare(path, now, update):
    before = path.read_text() if path.exists() else ""
    if before == now:
        return 0
    if update:
        path.write_text(now)
    name = str(path.relative_to(ROOT))
    diff = "".join(difflib.unified_diff(before.splitlines(True), now.splitlines(True), f"{name} (committed)", f"{name} (now)", n=0))
    if update:
        print(diff, end="")
        return 0
    return report(name, diff)


def compare_compiles(path, tool, update):
    if not shutil.which("valgrind"):
        print("there is no valgrind here: what a compile retires is not counted")
        return 0 if update else SKIPPED
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        now = dict(zip(COMPILED, pool.map(lambda kernel: retired(tool, kernel), COMPILED)))
    before = {}
    if path.exists():
        before = {name: int(number) for name, number in (line.split() for line in path.read_text().splitlines()[1:])}
    changed = [k for k in now if abs(now[k] - before.get(k, 0)) > COMPILE_TOLERANCE * before.get(k, 0)]
    told = "".join(f"{k}: {before.get(k, 0)} instructions retired by the compile, now {now[k]}\n" for k in changed)
    if not changed and before.keys() == now.keys():
        return 0
    if update:
        head = "kernel instructions retired by `tilewise emit --stage=asm --line-tables --target=cpu:x86-64-v3`\n"
        path.write_text(head + "".join(f"{k} {v}\n" for k, v in now.items()))
        print(told, end="")
        return 0
    return report(str(path.relative_to(ROOT)), told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", help="path of the tilewise tool")
    parser.add_argument("--compile", action="store_true", help="what compiles retire, instead of what is in their code")
    parser.add_argument("--update", action="store_true", help="write what is found to the committed file")
    arguments = parser.parse_args()
    tool = str(pathlib.Path(arguments.tool).resolve())
    if arguments.compile:
        return compare_compiles(HERE / "compile.txt", tool, arguments.update)
    return compare(HERE / "cpu.txt", code_table(tool), arguments.update)


if __name__ == "__main__":
    sys.exit(main())
