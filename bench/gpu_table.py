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


BACKWARD_CONFIGS = [((128, 64), 8, 3), ((64, 64), 4, 3), ((128, 128), 8, 2), ((64, 128), 8, 2)]


def attention_backward(batch, heads, tokens, size, causal):
    """kernels/flash_attention.py: delta, then dq by tiles of queries, then dk and dv by tiles of keys, each kernel with a configuration of its own."""
    q, k, v, dout = (torch.randn(batch, heads, tokens, size, device="cuda", dtype=torch.float16) for _ in range(4))
    scale, seen = size**-0.5, torch.ones(tokens, tokens, device="cuda", dtype=torch.bool).tril() if causal else None
    out, lse, wanted = torch.empty_like(q), torch.empty(batch, heads, tokens, device="cuda"), [torch.empty_like(q, dtype=torch.float32) for _ in range(3)]
    for at in range(batch):
        for head in range(heads):
            leaves = [one[at, head].float().requires_grad_() for one in (q, k, v)]
            scores = leaves[0] @ leaves[1].t() * scale
            scores = scores.masked_fill(~seen, float("-inf")) if causal else scores
            lse[at, head] = scores.detach().logsumexp(-1)
            attended = scores.softmax(-1) @ leaves[2]
            out[at, head] = attended.detach()
            for want, given in zip(wanted, torch.autograd.grad(attended, leaves, dout[at, head].float())):
                want[at, head] = given
    results, delta = [torch.empty_like(q) for _ in range(3)], torch.empty_like(lse)
    places = lambda count: list(q.stride()[:3]) * count
    contestants = {}
    for compiler in COMPILERS:
        kernels = load(KERNELS / "flash_attention.py", compiler)

        def call(by_queries, by_keys, kernels=kernels):
            tiles = lambda block: (-(-tokens // block), batch * heads)
            kernels.flash_attention_delta[tiles(128)](out, dout, delta, heads, tokens, *places(2), size, size, 128)
            (bm, bn), warps, stages = by_queries
            kernels.flash_attention_backward_queries[tiles(bm)](q, k, v, dout, results[0], lse, delta, heads, 1, tokens, tokens, scale, *places(5), size, size,
                                                                causal, bm, bn, num_warps=warps, num_stages=stages)
            (bm, bn), warps, stages = by_keys
            kernels.flash_attention_backward_keys[tiles(bn)](q, k, v, dout, *results[1:], lse, delta, heads, 1, tokens, tokens, scale, *places(6), size, size,
                                                             causal, bm, bn, num_warps=warps, num_stages=stages)

        pairs = [(one, other) for one in BACKWARD_CONFIGS for other in BACKWARD_CONFIGS]
        contestants[compiler] = [(pair, lambda pair=pair, call=call: call(*pair)) for pair in pairs]
    leaves = [one.clone().requires_grad_() for one in (q, k, v)]
    with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.CUDNN_ATTENTION]):
        attended = torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal)
    contestants["cuDNN"] = [("", lambda: list(torch.autograd.grad(attended, leaves, dout, retain_graph=True)))]
    operations = 10 * batch * heads * tokens * tokens * size / (2 if causal else 1)
    return Work(f"attention backward f16 {batch} × {heads} × {tokens}, head {size}, {'causal' if causal else 'full'}", operations * 1e-9, "TFLOPS", contestants,
                results, lambda: wanted, 1e-2)


def simple(name, rate, unit, source, configs, launch, outputs, library, reference, bound=1e-5):
    """A row whose kernels each compiler launches by `launch(module, config)`."""
    contestants = {}
    for compiler in COMPILERS:
        module = load(source, compiler)
        contestants[compiler] = [(config, lambda config=config, module=module: launch(module, config)) for config in configs]
    if library:
        contestants["PyTorch"] = [("", library)]
    return Work(name, rate, unit, contestants, outputs, reference, bound)


def layer_norm(rows, columns, dtype):
    x = torch.randn(rows, columns, device="cuda", dtype=dtype)
    weight, bias = (torch.randn(columns, device="cuda", dtype=dtype) for _ in range(2))
    y, block = torch.empty_like(x), tilewise.next_power_of_2(columns)

    def launch(module, warps):
        module.layer_norm[(rows,)](x, y, weight, bias, x.stride(0), columns, 1e-5, block, num_warps=warps)

    return simple(f"layer norm {dtype} {rows} × {columns}".replace("torch.", ""), 2 * x.nbytes * 1e-6, "GB/s", KERNELS / "layer_norm.py", (4, 8, 16), launch, [y],
                  lambda: [torch.nn.functional.layer_norm(x, (columns,), weight, bias)],
                  lambda: [torch.nn.functional.layer_norm(x.double(), (columns,), weight.double(), bias.double())], 1e-5 if dtype == torch.float32 else 2e-3)


BLOCKS_2D = [((1, 1024), 4), ((4, 256), 4), ((8, 128), 4), ((2, 1024), 8), ((1, 2048), 8)]


def greyscale(side):
    x, y = torch.rand(3, side, side, device="cuda"), torch.empty(side, side, device="cuda")

    def launch(module, config):
        (h, w), warps = config
        module.greyscale[(-(-side // h), -(-side // w))](x, y, side, side, h, w, num_warps=warps)

    bright = lambda x: 0.299 * x[0] + 0.587 * x[1] + 0.114 * x[2]
    return simple(f"greyscale {side} × {side}", 16 * side * side * 1e-6, "GB/s", KERNELS / "greyscale.py", BLOCKS_2D, launch, [y], lambda: [bright(x)], lambda: [bright(x.double())])


def convolution(side):
    x, weights = torch.rand(3, side, side, device="cuda"), torch.rand(9, device="cuda")
    y = torch.empty_like(x)

    def launch(module, config):
        (h, w), warps = config
        module.convolve[(3, -(-side // h), -(-side // w))](x, y, weights, side, side, 3, h, w, num_warps=warps)

    def library(x=x, weights=weights):
        return [torch.nn.functional.conv2d(torch.nn.functional.pad(x, (0, 2, 0, 2))[:, None], weights.reshape(1, 1, 3, 3))[:, 0]]

    return simple(f"convolution 3 × 3 of 3 × {side} × {side}", 24 * side * side * 1e-6, "GB/s", KERNELS / "convolution.py", BLOCKS_2D, launch, [y], library,
                  lambda: library(x.double(), weights.double()))


def sum_by_atomics(n):
    x, y = torch.rand(n, device="cuda"), torch.empty(1, device="cuda")

    def launch(module, config):
        block, warps = config
        y.zero_()
        module.sum_by_atomics[(-(-n // block),)](x, y, n, block, num_warps=warps)

    return simple(f"sum of {n} by atomics", 4 * n * 1e-6, "GB/s", HERE / "gpu_kernels.py", [(4096, 4), (8192, 4), (8192, 8), (16384, 8)], launch, [y],
                  lambda: [x.sum().reshape(1)], lambda: [x.double().sum().reshape(1)], 1e-4)


def of_rows(what, rows, columns):
    """cumsum, argmax, sort: one row a program."""
    x = torch.randn(rows, columns, device="cuda")
    y = torch.empty(rows, device="cuda", dtype=torch.int32) if what == "argmax" else torch.empty_like(x)
    library = {"cumsum": lambda x: torch.cumsum(x, 1), "argmax": lambda x: x.argmax(1), "sort": lambda x: x.sort(1).values}[what]
    return simple(f"{what} of {rows} × {columns}", rows * columns * 1e-6, "G elements/s", HERE / "gpu_kernels.py", (1, 2, 4, 8),
                  lambda module, warps: getattr(module, f"row_{what}")[(rows,)](x, y, columns, num_warps=warps), [y], lambda: [library(x)], lambda: [library(x.double())])


def histogram(n):
    x, y = torch.randint(0, 256, (n,), device="cuda", dtype=torch.int32), torch.empty(256, device="cuda", dtype=torch.int32)

    def launch(module, config):
        block, warps = config
        y.zero_()
        module.histogram[(-(-n // block),)](x, y, n, block, 256, num_warps=warps)

    return simple(f"histogram of {n}", n * 1e-6, "G elements/s", HERE / "gpu_kernels.py", [(1024, 4), (4096, 4), (8192, 8), (16384, 8)], launch, [y],
                  lambda: [torch.bincount(x, minlength=256)], lambda: [torch.bincount(x, minlength=256)])


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
    for size in (64, 128):
        for causal in (False, True):
            yield f"attention backward f16 4 × {2048 // size} × 4096, head {size}, {'causal' if causal else 'full'}", lambda size=size, causal=causal: attention_backward(
                4, 2048 // size, 4096, size, causal)
    yield "add", lambda: add(1 << 27)
    for rows, columns, dtype in ((8192, 512, torch.float32), (8192, 4096, f16), (16384, 8192, f16)):
        yield f"layer norm {rows} × {columns}", lambda rows=rows, columns=columns, dtype=dtype: layer_norm(rows, columns, dtype)
    yield "greyscale", lambda: greyscale(8192)
    yield "convolution", lambda: convolution(8192)
    yield "sum by atomics", lambda: sum_by_atomics(1 << 27)
    for what in ("cumsum", "argmax", "sort"):
        yield what, lambda what=what: of_rows(what, 65536, 1024)
    yield "histogram", lambda: histogram(1 << 26)


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
