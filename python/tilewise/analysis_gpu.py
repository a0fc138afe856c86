"""What a launch would take of a GPU, found without one: registers, shared memory, how many programs a multiprocessor holds and what limits that, matrix instructions, widths
of accesses, bank conflicts, and what the programs that run at the same time share in the L2 cache."""

import os
import re
import shutil
import subprocess
import tempfile

# Of one multiprocessor, by compute capability: warps, programs, bytes of shared memory, bytes of it that each program takes for the system.
_LIMITS = {75: (32, 16, 65536, 0), 80: (64, 32, 167936, 1024), 86: (48, 16, 102400, 1024), 89: (48, 24, 102400, 1024), 90: (64, 32, 233472, 1024), 100: (64, 32, 233472, 1024),
           120: (48, 24, 102400, 1024)}
_REGISTERS, _REGISTER_UNIT, _SHARED_UNIT = 65536, 256, 128
# Names for people: capability and multiprocessors.
GPUS = {"t4": (75, 40), "a100": (80, 108), "l40s": (89, 142), "h100": (90, 132), "h200": (90, 132), "b200": (100, 148), "rtx5090": (120, 170)}


def parse_gpu(text):
    """(capability, multiprocessors or None) of "h200" or "90"; ValueError else."""
    if text.lower() in GPUS:
        return GPUS[text.lower()]
    if text.isdigit() and int(text) in _LIMITS:
        return int(text), None
    raise ValueError(f"'{text}' is no GPU that is known: {', '.join(GPUS)}, or a compute capability: {', '.join(map(str, _LIMITS))}")


def _assemble(ptx):
    """(registers, bytes spilled) by NVIDIA's ptxas, or None where there is none."""
    ptxas = os.environ.get("TILEWISE_PTXAS") or os.environ.get("TRITON_PTXAS_PATH") or shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas:
        return None
    processor = re.search(r"^\.target (\w+)", ptx, re.M)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = subprocess.run([ptxas, f"-arch={processor}", "-v", file.name, "-o", os.devnull], capture_output=True, text=True)
    said = done.stdout + done.stderr
    used, spilled = re.search(r"Used (\d+) registers", said), re.search(r"(\d+) bytes spill stores", said)
    return (int(used[1]), int(spilled[1])) if done.returncode == 0 and used and spilled else None


def _up(count, unit):
    return -(-count // unit) * unit


class Resources:
    """What one program takes, and how many fit on a multiprocessor."""

    def __init__(self, capability, num_warps, ptx, shared):
        self.capability, self.num_warps, self.shared, self.ptx = capability, num_warps, shared, ptx
        assembled = _assemble(ptx)
        self.registers, self.spilled = assembled or (None, None)
        self.warpgroup_products = ptx.count("wgmma.mma_async")
        self.warp_products = len(re.findall(r"\bmma\.sync\.", ptx))
        widths = re.findall(r"^\s*(?:@!?%p\d+ )?(?:ld|st)\.global\S*?(?:\.(v[24]))?\.[bfsu](\d+)\b", ptx, re.M)
        self.widths = [int(vector[1:] or 1) * int(bits) // 8 if vector else int(bits) // 8 for vector, bits in widths]
        from .analysis_banks import Banks
        self.banks = Banks(ptx, num_warps)
        self.copies = len(re.findall(r"\bcp\.async\b(?!\.(?:commit|wait|mbarrier|bulk\.(?:commit|wait)))", ptx))

    def programs(self):
        """How many fit on a multiprocessor, by what: {"warps": 16, "registers": 8, ...}"""
        warps, programs, shared, reserved = _LIMITS[self.capability]
        found = {"programs": programs, "warps": warps // self.num_warps}
        if self.registers:
            found["registers"] = _REGISTERS // (_up(self.registers * 32, _REGISTER_UNIT) * self.num_warps)
        found["shared memory"] = shared // max(1, _up(self.shared + reserved, _SHARED_UNIT)) if self.shared + reserved else programs
        return found

    def occupancy(self):
        """(share of the warps that a multiprocessor can hold, programs on it, what limits them)"""
        limits = self.programs()
        limit = min(limits, key=limits.get)
        return limits[limit] * self.num_warps / _LIMITS[self.capability][0], limits[limit], limit

    def __str__(self):
        share, programs, limit = self.occupancy()
        registers = f"{self.registers} registers a thread" + (f", {self.spilled} bytes of them spilled to memory" if self.spilled else "") if self.registers else (
            "registers unknown (no ptxas here)")
        lines = [f"  on sm_{self.capability}, {self.num_warps} warps a program: {registers}; {self.shared} bytes of shared memory",
                 f"    {programs} programs fit on a multiprocessor, limited by {'the number of ' + limit if limit in ('programs', 'warps') else limit}: {share:.0%} of its warps"]
        if self.warpgroup_products or self.warp_products:
            lines.append("    tensor cores: " + " and ".join(f"{count} {name}" for count, name in ((self.warpgroup_products, "wgmma"), (self.warp_products, "mma")) if count)
                         + " instructions")
        if self.widths or self.copies:
            wide = sum(width >= 16 for width in self.widths)
            lines.append(f"    global accesses: {wide} of {len(self.widths)} loads and stores move 16 bytes a thread" + (f"; {self.copies} asynchronous copies" if self.copies else ""))
        if self.banks.count:
            lines.append(str(self.banks))
        return "\n".join(lines)


def resources(kernel, capability, arguments, named, num_warps=4):
    """The Resources of a launch with these arguments, compiled for a GPU that need not be there."""
    from .backends.compiler import GPUTarget
    from .compiler.compiler import compile
    here = kernel.warmup(*arguments, grid=(1,), **named)
    compiled = compile(here.src, GPUTarget("cuda", capability, 32), {"num_warps": num_warps})
    return Resources(capability, num_warps, compiled.asm["ptx"], compiled.metadata.shared)


def waves(trace, at_once):
    """Bytes of sectors that come from memory when a cache keeps only what the programs that run at the same time ask for, in the order of their ids; and when it keeps nothing:
    (waves, together, alone)."""
    import numpy
    programs = sorted(trace.sectors)
    together = alone = count = 0
    for first in range(0, len(programs), at_once):
        parts = [numpy.unique(numpy.concatenate(trace.sectors[program])) for program in programs[first:first + at_once]]
        alone += sum(part.size for part in parts)
        together += numpy.unique(numpy.concatenate(parts)).size
        count += 1
    from .trace import SECTOR
    return count, together * SECTOR, alone * SECTOR
