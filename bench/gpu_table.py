"""Kernels of one source, compiled by Tilewise and by Triton, beside the libraries, in turns on one GPU: medians and ratios.

usage: gpu_table.py [--filter TEXT] [--rounds N] [--configs] [--json FILE]

Data is random, outputs are poisoned before each check, and every contestant is held against a reference in higher precision. Times are by CUDA
events; the second-level cache is flushed before each sample. Each compiler takes the best of the listed configurations.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import statistics
import sys
import tempfile
import traceback

import torch

import tilewise

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = next(folder for folder in (HERE.parent / "kernels", HERE / "kernels") if folder.is_dir())
try:
    import triton
except ImportError:
    triton = None
COMPILERS = ["Tilewise"] + (["Triton"] if triton else [])
FLUSH_BYTES = 256 << 20
# Of the card's clock, half a millisecond: the host has queued the launch before the card comes to it, however long Python takes over it.
HEAD_START = 1_000_000


def load(path, compiler, folder=pathlib.Path(tempfile.mkdtemp())):
    """A kernel file as a module whose `triton` is the compiler's."""
    text = pathlib.Path(path).read_text()
    if compiler == "Tilewise":
        text = re.sub(r"^import triton$", "import tilewise as triton", text, flags=re.M)
        text = re.sub(r"^import triton\.", "import tilewise.", text, flags=re.M)
        text = re.sub(r"^from triton\b", "from tilewise", text, flags=re.M)
    name = f"{pathlib.Path(path).stem}_{compiler.lower()}"
    (folder / f"{name}.py").write_text(text)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return __import__(name)


class Work:
    """One row. `contestants` gives name -> [(config, call)]; each call writes the tensors of `outputs`, or returns others; `reference` gives them in
    higher precision."""

    def __init__(self, name, rate, unit, contestants, outputs, reference, bound):
        self.name, self.rate, self.unit, self.contestants, self.outputs, self.reference, self.bound = name, rate, unit, contestants, outputs, reference, bound

    def error(self, call, wanted):
        for output in self.outputs:
            output.fill_(float("nan") if output.is_floating_point() else -77)
        given = call()
        given = given if isinstance(given, list) else self.outputs
        torch.cuda.synchronize()
        return max(float(torch.linalg.vector_norm(have.double() - want) / torch.linalg.vector_norm(want)) for have, want in zip(given, wanted))

    def run(self, rounds, flush, every=False):
        wanted = [want.double() for want in self.reference()]
        best, told = {}, {}
        for name, configs in self.contestants.items():
            with concurrent.futures.ThreadPoolExecutor(8) as pool:  # compiling is what takes long
                ready = list(pool.map(lambda one: attempt(one[1]), configs))
            torch.cuda.synchronize()
            fit = []
            for (config, call), failure in zip(configs, ready):
                if failure:
                    told.setdefault(name, []).append(f"{config}: {failure}")
                    continue
                error = self.error(call, wanted)
                if not error <= self.bound:
                    told.setdefault(name, []).append(f"{config}: WRONG, error {error:.2e}")
                    continue
                fit.append((config, call))
            turns = [[sample(call, 1, flush) for _, call in fit] for _ in range(4)]
            times = [(min(turn[i] for turn in turns), config, call) for i, (config, call) in enumerate(fit)]
            if times:
                best[name] = min(times, key=lambda one: one[0])[1:]
            if every and len(times) > 1:
                told.setdefault(name, []).extend(f"{config}: {self.rate / least:.0f}" for least, config, _ in times)
        samples = {name: [] for name in best}
        for _ in range(rounds):
            for name, (_, call) in best.items():
                samples[name].append(sample(call, 1, flush))
        result = {name: {"ms": statistics.median(times), "config": str(best[name][0])} for name, times in samples.items()}
        return result, told


def attempt(call):
    try:
        call()
    except Exception as failure:  # a config that does not fit, or a bug: told in the table
        return f"{type(failure).__name__}: {str(failure).strip().splitlines()[0][:160] if str(failure).strip() else ''}"


def sample(call, count, flush):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda._sleep(HEAD_START)
    flush.zero_()
    begin.record()
    for _ in range(count):
        call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / count


# The works.

MATMUL_CONFIGS = [((128, 256, 64), 8, 3), ((128, 256, 64), 8, 4), ((256, 128, 64), 8, 3), ((128, 128, 64), 4, 4), ((128, 128, 64), 8, 4), ((64, 256, 64), 4, 4)]
SMALL_CONFIGS = [((64, 64, 64), 4, 4), ((128, 64, 64), 4, 4), ((64, 128, 64), 4, 4), ((64, 32, 128), 4, 4), ((32, 64, 128), 4, 4), ((64, 64, 128), 4, 3)]
THIN_CONFIGS = [((16, 64, 128), 4, 4), ((16, 32, 256), 4, 4), ((64, 64, 128), 4, 4), ((16, 128, 128), 4, 4), ((64, 32, 256), 4, 3)]
WORD_CONFIGS = [((128, 256, 32), 8, 3), ((128, 128, 32), 4, 4), ((128, 128, 32), 8, 4), ((128, 128, 64), 8, 3), ((64, 128, 32), 4, 4)]
IEEE_CONFIGS = [((128, 128, 16), 8, 3), ((128, 128, 32), 8, 3), ((128, 256, 16), 8, 3), ((128, 64, 16), 4, 3), ((64, 128, 32), 4, 3)]
BYTE_CONFIGS = [((128, 256, 128), 8, 3), ((128, 128, 128), 8, 4), ((256, 128, 128), 8, 3), ((128, 128, 128), 4, 4)]


def widened(configs, compiler, **more):
    """Each config as it is, and for Tilewise also with each of the further keywords, such as warps of their own for copies: Triton 3.6 has these on
    Blackwell alone."""
    ways = [{}] + [{name: value} for name, value in more.items() if compiler == "Tilewise"]
    return [(*config, way) for config in configs for way in ways]


def matmul(M, N, K, dtype=torch.float16, ways="nn", activation="", configs=MATMUL_CONFIGS, precision="ieee", persistent=False):
    """`ways`: n as it is, t transposed in memory."""

    def made(rows, columns, way):
        wide = torch.randn((rows, columns) if way == "n" else (columns, rows), device="cuda")
        return (wide.to(dtype) if way == "n" else wide.to(dtype).t())

    a, b = made(M, K, ways[0]), made(K, N, ways[1])
    out_type = dtype if dtype.itemsize >= 2 else torch.float16
    c = torch.empty(M, N, device="cuda", dtype=out_type)
    contestants = {}
    more = {"maxnreg": 128} if dtype == torch.float32 and precision == "ieee" else {"BESIDE": True}
    for compiler in COMPILERS:
        kernels = load(HERE / "gpu_kernels.py", compiler)

        def call(config, kernels=kernels):
            (bm, bn, bk), warps, stages, more = config
            tiles = -(-M // bm) * -(-N // bn)
            shape = (a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1), bm, bn, bk, 8)
            if persistent:
                grid = min(tiles, torch.cuda.get_device_properties(0).multi_processor_count)
                kernels.persistent_matmul[(grid,)](*shape, num_warps=warps, num_stages=stages, **more)
            else:
                kernels.matmul[(tiles,)](*shape, activation, precision, num_warps=warps, num_stages=stages, **more)

        contestants[compiler] = [(config, lambda config=config, call=call: call(config)) for config in widened(configs, compiler, **more)]

    def library():
        if dtype.itemsize == 1:
            one = torch.ones((), device="cuda")
            torch._scaled_mm(a, b, one, one, out_dtype=out_type, out=c, use_fast_accum=True)
        else:
            torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
            torch.mm(a, b, out=c)
        if activation == "relu":
            torch.relu_(c)
        elif activation == "gelu":
            c.copy_(torch.nn.functional.gelu(c, approximate="tanh"))

    if dtype.itemsize > 1 or ways == "nt":
        contestants["cuBLAS"] = [("", library)]

    def reference():
        wide = a.double() @ b.double()
        return [wide.relu() if activation == "relu" else torch.nn.functional.gelu(wide, approximate="tanh") if activation == "gelu" else wide]

    bound = {torch.float16: 2e-3, torch.float8_e4m3fn: 5e-3, torch.bfloat16: 1e-2, torch.float32: 2e-3 if precision == "tf32" else 1e-5}.get(dtype, 2e-3)
    kind = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32" if precision == "ieee" else precision}.get(dtype, "e4m3")
    size = f"{M}³" if M == N == K else f"{M} × {N} × {K}"
    name = f"matmul {kind} {size}" + (" persistent" if persistent else "") + (f" {ways}" if ways != "nn" else "") + (f" {activation}" if activation else "")
    return Work(name, 2 * M * N * K * 1e-9, "TFLOPS", contestants, [c], reference, bound)


ATTENTION_CONFIGS = [((128, 128), 8, 2), ((128, 128), 8, 3), ((128, 64), 8, 3), ((128, 64), 4, 3), ((64, 64), 4, 3), ((128, 64), 8, 4), ((64, 128), 4, 2)]


def attention(batch, heads, tokens, size, causal, configs=ATTENTION_CONFIGS):
    q, k, v = (torch.randn(batch, heads, tokens, size, device="cuda", dtype=torch.float16) for _ in range(3))
    out, scale = torch.empty_like(q), size**-0.5
    contestants = {}
    for compiler in COMPILERS:
        kernel = load(HERE / "gpu_kernels.py", compiler).attention

        def call(config, kernel=kernel):
            (bm, bn), warps, stages, more = config
            kernel[(-(-tokens // bm), batch * heads)](q, k, v, out, tokens, scale, q.stride(1), q.stride(2), size, bm, bn, causal, num_warps=warps,
                                                      num_stages=stages, **more)

        contestants[compiler] = [(config, lambda config=config, call=call: call(config)) for config in widened(configs, compiler, BESIDE=True)]

    def library():
        with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.CUDNN_ATTENTION, torch.nn.attention.SDPBackend.FLASH_ATTENTION], set_priority=True):
            return [torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)]

    contestants["cuDNN"] = [("", library)]

    def reference():
        rows = []
        for at in range(batch):
            scores = q[at].float() @ k[at].float().transpose(-1, -2) * scale
            if causal:
                scores.masked_fill_(torch.ones(tokens, tokens, device="cuda", dtype=torch.bool).triu(1), float("-inf"))
            rows.append(scores.softmax(-1) @ v[at].float())
        return [torch.stack(rows)]

    operations = 4 * batch * heads * tokens * tokens * size / (2 if causal else 1)
    return Work(f"attention f16 {batch} × {heads} × {tokens}, head {size}, {'causal' if causal else 'full'}", operations * 1e-9, "TFLOPS", contestants, [out], reference, 5e-3)


def softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    y = torch.empty_like(x)
    block = tilewise.next_power_of_2(columns)
    contestants = {}
    for compiler in COMPILERS:
        kernel = load(KERNELS / "softmax.py", compiler).softmax
        contestants[compiler] = [(warps, lambda warps=warps, kernel=kernel: kernel[(rows,)](y, x, y.stride(0), x.stride(0), columns, block, num_warps=warps)) for warps in (4, 8, 16)]
    contestants["PyTorch"] = [("", lambda: torch.softmax(x, -1, out=y))]
    return Work(f"softmax {rows} × {columns}", 8 * rows * columns * 1e-6, "GB/s", contestants, [y], lambda: [torch.softmax(x.double(), -1)], 1e-5)


def add(n):
    x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
    z = torch.empty_like(x)
    contestants = {}
    for compiler in COMPILERS:
        kernel = load(KERNELS / "vector_add.py", compiler).vector_add
        contestants[compiler] = [(block, lambda block=block, kernel=kernel: kernel[(-(-n // block),)](x, y, z, n, block)) for block in (1024, 2048)]
    contestants["PyTorch"] = [("", lambda: torch.add(x, y, out=z))]
    return Work(f"add {n}", 12 * n * 1e-6, "GB/s", contestants, [z], lambda: [x.double() + y.double()], 1e-6)


def works():
    f16, bf16 = torch.float16, torch.bfloat16
    for ways in ("nn", "nt", "tn", "tt"):
        yield f"matmul f16 4096³ {ways}", lambda ways=ways: matmul(4096, 4096, 4096, f16, ways)
    yield "matmul bf16 8192³", lambda: matmul(8192, 8192, 8192, bf16)
    yield "matmul f16 8192³", lambda: matmul(8192, 8192, 8192, f16)
    yield "matmul f16 8192 × 8192 × 1024", lambda: matmul(8192, 8192, 1024, f16)
    yield "matmul f16 16384 × 1024 × 4096", lambda: matmul(16384, 1024, 4096, f16)
    yield "matmul f16 4096³ persistent", lambda: matmul(4096, 4096, 4096, f16, persistent=True)
    yield "matmul f16 8192 × 8192 × 1024 persistent", lambda: matmul(8192, 8192, 1024, f16, persistent=True)
    yield "matmul f16 4096³ relu", lambda: matmul(4096, 4096, 4096, f16, activation="relu")
    yield "matmul f16 4096³ gelu", lambda: matmul(4096, 4096, 4096, f16, activation="gelu")
    yield "matmul f16 1024³", lambda: matmul(1024, 1024, 1024, f16, configs=MATMUL_CONFIGS[3:5] + SMALL_CONFIGS)
    yield "matmul f16 512³", lambda: matmul(512, 512, 512, f16, configs=SMALL_CONFIGS)
    for rows in (1, 16, 64):
        yield f"matmul f16 {rows} × 8192 × 8192", lambda rows=rows: matmul(rows, 8192, 8192, f16, configs=THIN_CONFIGS)
    yield "matmul f16 4095 × 4097 × 4099", lambda: matmul(4095, 4097, 4099, f16)
    yield "matmul e4m3 8192³ nt", lambda: matmul(8192, 8192, 8192, torch.float8_e4m3fn, "nt", configs=BYTE_CONFIGS)
    yield "matmul tf32 4096³", lambda: matmul(4096, 4096, 4096, torch.float32, configs=WORD_CONFIGS, precision="tf32")
    yield "matmul tf32 4096³ nt", lambda: matmul(4096, 4096, 4096, torch.float32, "nt", configs=WORD_CONFIGS, precision="tf32")
    yield "matmul tf32x3 4096³", lambda: matmul(4096, 4096, 4096, torch.float32, configs=WORD_CONFIGS, precision="tf32x3")
    yield "matmul f32 4096³", lambda: matmul(4096, 4096, 4096, torch.float32, configs=IEEE_CONFIGS)
    for size in (64, 128, 256):
        for causal in (False, True):
            yield f"attention f16 4 × 32 × 4096, head {size}, {'causal' if causal else 'full'}", lambda size=size, causal=causal: attention(
                4, 2048 // size if size < 256 else 8, 4096, size, causal, [((128, 64), 8, 2), ((64, 64), 4, 2), ((128, 32), 8, 3)] if size == 256 else ATTENTION_CONFIGS)
    for rows, columns in ((4096, 4096), (8192, 8192), (4096, 1000), (16384, 16384)):
        yield f"softmax {rows} × {columns}", lambda rows=rows, columns=columns: softmax(rows, columns)
    yield "add", lambda: add(1 << 27)


def line(work, result, told):
    ours = result.get("Tilewise")
    cells = [work.name]
    for name in work.contestants:
        one = result.get(name)
        cells.append(f"{name} {work.rate / one['ms']:.0f}" if one else f"{name} –")
    if ours:
        cells += [f"{name} {one['ms'] / ours['ms']:.3f} ×" for name, one in result.items() if name != "Tilewise"]
        cells.append(f"ours {ours['config']}" + (f", Triton {result['Triton']['config']}" if "Triton" in result else ""))
    text = f"{work.unit}: " + " | ".join(cells)
    for name, failures in told.items():
        text += "".join(f"\n    {name} {one}" for one in failures)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only rows whose name matches the regular expression")
    parser.add_argument("--rounds", type=int, default=15, help="how many turns each row takes (default: 15)")
    parser.add_argument("--configs", action="store_true", help="also the rate of each configuration, by the least of a few times")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results to this file")
    options = parser.parse_args()
    torch.manual_seed(0)
    tilewise.set_warnings("no-all")  # a mask that is left out on purpose
    flush = torch.empty(FLUSH_BYTES, dtype=torch.int8, device="cuda")
    kept = []
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}" + (f", Triton {triton.__version__}" if triton else ""), flush=True)
    for name, make in works():
        if not re.search(options.filter, name):
            continue
        try:
            work = make()
            result, told = work.run(options.rounds, flush, options.configs)
        except Exception:
            print(f"{name}: failed\n{traceback.format_exc()}", flush=True)
            continue
        print(line(work, result, told), flush=True)
        kept.append({"work": work.name, "unit": work.unit, "rate": {n: work.rate / one["ms"] for n, one in result.items()}, "config": {n: one["config"] for n, one in result.items()}})
        del work
        torch.cuda.empty_cache()
    if options.json:
        options.json.write_text(json.dumps(kept, indent=1))


if __name__ == "__main__":
    main()
