"""What step 13 asks for."""

import numpy as np

from tilewise.learn.picture import bars
from tilewise.learn.task import Case, Task


def rival(v):
    scores = v["q_ptr"] @ v["k_ptr"].T * v["scale"]
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v["v_ptr"]


def case(queries, keys, head=16, block=16, scale=0.25):
    random = np.random.default_rng(13)
    q, k, v = (random.standard_normal((count, head)).astype(np.float32) for count in (queries, keys, keys))
    values = dict(q_ptr=q, k_ptr=k, v_ptr=v, out_ptr=np.zeros_like(q), queries=queries, keys=keys, scale=scale, HEAD=head, BLOCK_M=block, BLOCK_N=block)
    return Case(f"{queries} queries, {keys} keys", (-(-queries // block),), values,
                dict(out_ptr=rival({name: value.astype(float) if hasattr(value, "astype") else value for name, value in values.items()})), 1e-4)


def picture(_):
    large = case(1024, 1024, 64, 128)
    held = sum(value.size for value in large.arguments.values() if hasattr(value, "size"))
    return bars("numbers in memory for 1024 tokens and one head of 64", [("q, k, v and out", held), ("all scores", 1024 * 1024), ("one tile of scores", 128 * 128)])


TASK = Task("attention", lambda: [case(16, 16), case(16, 48), case(20, 37), case(16, 32, scale=20.0)],
            ['scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale, then tl.where(n[None, :] < keys, scores, -float("inf"))',
             "now = tl.maximum(highest, tl.max(scores, axis=1)); weights = tl.exp(scores - now[:, None]); correction = tl.exp(highest - now)",
             "total = total * correction + tl.sum(weights, axis=1)", 'acc = tl.dot(weights, v, acc * correction[:, None], input_precision="ieee")',
             "acc / total[:, None], stored with the mask m[:, None] < queries"],
            bench=lambda: case(1024, 1024, 64, 128), rival=rival, rival_name="numpy with all scores in memory", picture=picture)
