"""torch.compile with three back ends in turns: Tilewise, Inductor's C++, and eager torch; medians, ratios of theirs to ours.

usage: torch_table.py [--threads N] [--filter TEXT] [--rounds N] [--cpu-time] [--fastest]"""

import argparse
import os
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--threads", type=int, default=1, help="threads of all three (default: 1)")
parser.add_argument("--filter", default="", help="only rows whose name contains the text")
parser.add_argument("--rounds", type=int, default=15, help="how many turns each row takes (default: 15)")
parser.add_argument("--cpu-time", action="store_true", help="count the seconds that threads ran instead of elapsed time, for a machine with other load")
parser.add_argument("--fastest", action="store_true", help="the mean of the fastest eighth of 160 short turns, for a machine with much other load")
options = parser.parse_args()
clock = time.process_time if options.cpu_time else time.perf_counter
os.environ["TILEWISE_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = str(options.threads)

import torch  # noqa: E402

torch.set_num_threads(options.threads)
torch.manual_seed(0)
F = torch.nn.functional


def randn(*shape, **named):
    return torch.randn(*shape, **named)


class Block(torch.nn.Module):
    """A transformer's: GPT-2's with layer norm and gelu, or Llama's with rms norm, rotation and silu."""

    def __init__(self, llama, width=256, heads=4):
        super().__init__()
        self.llama, self.heads = llama, heads
        norm = torch.nn.RMSNorm if llama else torch.nn.LayerNorm
        self.first, self.second = norm(width), norm(width)
        self.joint = torch.nn.Linear(width, 3 * width, bias=not llama)
        self.out = torch.nn.Linear(width, width, bias=not llama)
        self.up = torch.nn.Linear(width, (8 if llama else 4) * width, bias=not llama)
        self.down = torch.nn.Linear(4 * width, width, bias=not llama)

    def rotated(self, x):
        half = x.shape[-1] // 2
        angles = torch.arange(x.shape[-2])[:, None] * torch.pow(10000.0, -torch.arange(half) / half)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.joint(self.first(x)).chunk(3, -1))
        if self.llama:
            q, k = self.rotated(q), self.rotated(k)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        inner = self.up(self.second(x))
        if self.llama:
            gate, value = inner.chunk(2, -1)
            return x + self.down(F.silu(gate) * value)
        return x + self.down(F.gelu(inner))


class Model(torch.nn.Module):

    def __init__(self, llama, layers=4, width=256, words=2048):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.ModuleList(Block(llama, width) for _ in range(layers))
        self.head = torch.nn.Linear(width, words, bias=False)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def norm_in_training():
    layer = torch.nn.BatchNorm2d(64)
    return lambda x: layer(x)


def chain(x, y):
    return torch.sigmoid(x * y + 1) * torch.tanh(x) - y.exp() * 0.5


ROWS = {
    "row reduction": (lambda x: x.sum(-1), lambda: [randn(2048, 1024)]),
    "full sum": (lambda x: x.sum(), lambda: [randn(1 << 21)]),
    "transposed copy": (lambda x: x.t().contiguous() * 2, lambda: [randn(1024, 1024)]),
    "cross entropy": (lambda x, y: F.cross_entropy(x, y), lambda: [randn(512, 4096), torch.randint(0, 4096, (512,))]),
    "var and std": (lambda x: (x.var(-1), x.std(-1)), lambda: [randn(2048, 1024)]),
    "batch norm in training": (None, lambda: [randn(16, 64, 32, 32)]),
    "gather": (lambda w, i: w[i] * 2, lambda: [randn(4096, 512), torch.randint(0, 4096, (2048,))]),
    "scatter with atomics": (lambda x, i, s: x.index_add(0, i, s), lambda: [randn(4096, 128), torch.randint(0, 4096, (2048,)), randn(2048, 128)]),
    "fp64 chain": (lambda x: torch.tanh(x) * torch.erf(x) + torch.log1p(x.abs()) * x.abs().pow(1.5), lambda: [randn(1 << 17).double()]),
    "rms norm": (lambda x, w: F.rms_norm(x, (x.shape[-1],), w), lambda: [randn(1024, 1024), randn(1024)]),
    "softmax": (lambda x: F.softmax(x, -1), lambda: [randn(1024, 1024)]),
    "layer norm + gelu": (lambda x, w, b: F.gelu(F.layer_norm(x, (x.shape[-1],), w, b)), lambda: [randn(1024, 1024), randn(1024), randn(1024)]),
    "bias by x // 512": (lambda x, b: x + b.repeat_interleave(512), lambda: [randn(512 * 1024), randn(1024)]),
    "chain": (chain, lambda: [randn(1 << 20), randn(1 << 20)]),
    "argmax": (lambda x: x.argmax(-1), lambda: [randn(1024, 1024)]),
    "cumsum": (lambda x: x.cumsum(-1), lambda: [randn(1024, 1024)]),
    "integers": (lambda x: (x * 7 + 3) % 11 // 2 ^ x, lambda: [torch.randint(0, 1 << 20, (1 << 20,))]),
    "small add": (lambda x, y: x + y, lambda: [randn(256), randn(256)]),
    "transformer block": (None, lambda: [randn(2, 128, 256)]),
    "GPT-2, 4 layers": (None, lambda: [torch.randint(0, 2048, (1, 128))]),
    "Llama, 4 layers": (None, lambda: [torch.randint(0, 2048, (1, 128))]),
    "matmul by templates": (lambda a, b: (a @ b).relu(), lambda: [randn(512, 512), randn(512, 512)]),
}
MADE = {"batch norm in training": norm_in_training, "transformer block": lambda: Block(False).eval(), "GPT-2, 4 layers": lambda: Model(False).eval(),
        "Llama, 4 layers": lambda: Model(True).eval()}


def measured(contestants, arguments):
    """Microseconds of each, in turns: the median of the rounds, each of at least 10 ms; or of many rounds of 1.5 ms what the fastest took."""
    rounds, length = (160, 0.0015) if options.fastest else (options.rounds, 0.01)
    calls = {}
    for name, function in contestants.items():
        function(*arguments)
        start = clock()
        function(*arguments)
        calls[name] = max(1, int(length / max(clock() - start, 1e-7)))
    times = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, function in contestants.items():
            start = clock()
            for _ in range(calls[name]):
                function(*arguments)
            times[name].append((clock() - start) / calls[name] * 1e6)
    if options.fastest:
        return {name: statistics.mean(sorted(values)[:rounds // 8]) for name, values in times.items()}
    return {name: statistics.median(values) for name, values in times.items()}


def main():
    how = "the fastest eighth of 160 turns" if options.fastest else f"medians of {options.rounds} rounds"
    print(f"{options.threads} thread{'s' if options.threads > 1 else ''}, microseconds{' of CPU time' if options.cpu_time else ''}, {how}; above 1.0 Tilewise is ahead")
    print(f"{'':26}{'tilewise':>10}{'C++':>10}{'eager':>10}{'C++/ours':>10}{'eager/ours':>12}")
    for name, (function, make) in ROWS.items():
        if options.filter not in name:
            continue
        torch._dynamo.reset()
        function = MADE[name]() if name in MADE else function
        settings = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON"} if "templates" in name else None
        arguments = make()
        with torch.no_grad():
            ours = torch.compile(function, backend="tilewise", options=settings)
            theirs = torch.compile(function)
            expected = function(*arguments)
            for one in (ours, theirs):
                for _ in range(3):
                    torch.testing.assert_close(one(*arguments), expected, rtol=1e-2, atol=1e-2)
            took = measured({"ours": ours, "theirs": theirs, "eager": function}, arguments)
        print(f"{name:26}{took['ours']:10.1f}{took['theirs']:10.1f}{took['eager']:10.1f}{took['theirs'] / took['ours']:10.2f}{took['eager'] / took['ours']:12.2f}")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
