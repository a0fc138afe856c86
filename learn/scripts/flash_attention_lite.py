"""Attention without the N x N matrix of scores: time and memory against the separate operations, for growing lengths."""

import numpy as np
from common import Unfused, arguments, best_ms, engine_line, megabytes, torch_ms

import tilewise.ops as ops

small = arguments(__doc__).small
head = 64
unfused = Unfused(
    ("scores", lambda q, k: q @ k.swapaxes(-1, -2) * np.float32(head**-0.5), ("q", "k")),
    ("top", lambda scores: scores.max(axis=-1, keepdims=True), ("scores",)),
    ("centred", np.subtract, ("scores", "top")),
    ("weight", np.exp, ("centred",)),
    ("total", lambda weight: weight.sum(axis=-1, keepdims=True), ("weight",)),
    ("share", np.divide, ("weight", "total")),
    ("out", np.matmul, ("share", "v")),
)
engine_line()
print(f"{'tokens':>7} {'unfused ms':>11} {'fused ms':>9} {'speedup':>8}   largest intermediate, unfused")
for tokens in (32, 64) if small else (256, 512, 1024, 2048):
    random = np.random.default_rng(tokens)
    values = {name: random.standard_normal((1, 4, tokens, head)).astype(np.float32) for name in "qkv"}
    wide = unfused.run({name: value.astype(float) for name, value in values.items()})
    error = np.max(np.abs(ops.attention(**values) - wide))
    assert error < 1e-4, f"the results differ by {error}"
    seconds = 0.05 if small else 0.5
    slow, fast = best_ms(lambda: unfused.run(values), seconds), best_ms(lambda: ops.attention(**values), seconds)
    theirs = torch_ms(lambda F, q, k, v: F.scaled_dot_product_attention(q, k, v), values, seconds)
    own = f"; PyTorch's own: {theirs:.3f} ms" if theirs else ""
    print(f"{tokens:>7} {slow:>11.3f} {fast:>9.3f} {slow / fast:>7.2f}x   scores: {megabytes(4 * 4 * tokens * tokens)}, fused: none{own}")
