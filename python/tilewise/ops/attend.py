"""Attention forward and backward: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import cdiv, check, check_floats, empty, shape_text, side, strides, wide, with_unit_columns
from .launches import launch


def _launch(name, q, k, arguments, over_keys=False, **constants):
    """A kernel with a program for each tile of queries, or of keys, of each head."""
    batch, heads, queries, head = q.shape
    shared, keys = k.shape[1:3]

    def plan(config):
        block_m, block_n = side(queries, config["BLOCK_M"]), side(keys, config["BLOCK_N"])
        grid = (cdiv(keys, block_n), batch * shared) if over_keys else (cdiv(queries, block_m), batch * heads)
        return grid, {"BLOCK_M": block_m, "BLOCK_N": block_n}

    launch("flash_attention.py", name, q, (batch * heads, queries, keys, head), arguments, plan, HEAD=head, BLOCK_D=side(head, 256), **constants)


def _name(name, *facts):
    """flash_attention/causal, wide: what else a launch's config depends on."""
    told = ", ".join(word for word, holds in facts if holds)
    return f"{name}/{told}" if told else name


def _sizes(q, k, scale):
    return q.shape[1], q.shape[1] // k.shape[1], q.shape[2], k.shape[2], float(scale)


def _places(*arrays):
    """Strides of batch, head and token of each."""
    return [stride for array in arrays for stride in strides(array)[:3]]


def attention(q, k, v, causal, scale):
    """The result, and the logarithm of each row's sum of exponentials."""
    check_floats("attention", ("q", q), ("k", k), ("v", v))
    check("attention", len(q.shape) == 4 and len(k.shape) == 4 and tuple(k.shape) == tuple(v.shape),
          lambda: f"q, k and v must be batch x heads x tokens x size, k and v alike; got {shape_text(q, k, v)}")
    batch, heads, queries, head = q.shape
    check("attention", k.shape[0] == batch and k.shape[3] == head, lambda: f"q and k must agree in batch and size of a head, got {shape_text(q, k)}")
    check("attention", k.shape[1] > 0 and heads % k.shape[1] == 0, lambda: f"the heads of q ({heads}) must be a multiple of those of k and v ({k.shape[1]})")
    check("attention", 1 <= head <= 256, lambda: f"a head has 1 to 256 elements, got {head}")
    check("attention", k.shape[2] > 0 or queries == 0, "there are no keys")
    q, k, v = with_unit_columns(q), with_unit_columns(k), with_unit_columns(v)
    out, lse = empty(q), empty(q, (batch, heads, queries), wide(q))
    _launch(_name("flash_attention", ("causal", causal), ("wide", head > 128)), q, k,
            (q, k, v, out, lse, *_sizes(q, k, scale), *_places(q, k, v, out)), CAUSAL=bool(causal))
    return out, lse


def attention_backward(q, k, v, out, lse, dout, causal, scale):
    q, k, v, out, dout = (with_unit_columns(array) for array in (q, k, v, out, dout))
    dq, dk, dv, delta = empty(q), empty(k), empty(v), empty(lse)
    heads, queries, head = q.shape[1:]
    shared = dict(HEAD=head, BLOCK_D=side(head, 256))

    def plan(config):
        block = side(queries, config["BLOCK_M"])
        return (cdiv(queries, block), q.shape[0] * heads), {"BLOCK_M": block}

    launch("flash_attention.py", "flash_attention_delta", q, (q.shape[0] * heads, queries, head),
           (out, dout, delta, heads, queries, *_places(out, dout)), plan, **shared)
    wide_head = ("wide", head > 128)
    _launch(_name("flash_attention_backward_queries", wide_head), q, k,
            (q, k, v, dout, dq, lse, delta, *_sizes(q, k, scale), *_places(q, k, v, dout, dq)), CAUSAL=bool(causal))
    _launch(_name("flash_attention_backward_keys", wide_head), q, k,
            (q, k, v, dout, dk, dv, lse, delta, *_sizes(q, k, scale), *_places(q, k, v, dout, dk, dv)), over_keys=True, CAUSAL=bool(causal))
    return dq, dk, dv
