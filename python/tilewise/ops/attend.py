"""Attention forward and backward: what launches the kernels, for numpy arrays and torch tensors alike."""

from .arrays import cdiv, check, check_floats, empty, launch, next_power_of_2, on_gpu, shape_text, strides, type_name, wide, with_unit_columns


def _setup(q, k, causal, backward=False):
    """The constants of all kernels, and grids over tiles of queries and of keys."""
    batch, heads, queries, head = q.shape
    keys = k.shape[2]
    block_d = max(16, next_power_of_2(head))
    if on_gpu(q):
        most = 32 if backward or block_d > 128 or type_name(q) in ("float32", "float64") else 64
    else:
        most = 64 if backward else 128
    block_m = max(16, min(most, next_power_of_2(queries)))
    block_n = max(16, min(most, next_power_of_2(keys)))
    constants = dict(HEAD=head, BLOCK_D=block_d, CAUSAL=bool(causal), BLOCK_M=block_m, BLOCK_N=block_n)
    return constants, (cdiv(queries, block_m), batch * heads), (cdiv(keys, block_n), batch * k.shape[1])


def _sizes(q, k, scale):
    return q.shape[1], q.shape[1] // k.shape[1], q.shape[2], k.shape[2], float(scale)


def _places(*arrays):
    """Strides of batch, head and token of each."""
    return [stride for array in arrays for stride in strides(array)[:3]]


def attention(q, k, v, causal, scale):
    """The result, and the logarithm of each row's sum of exponentials."""
    check_floats("attention", ("q", q), ("k", k), ("v", v))
    check("attention", len(q.shape) == 4 and len(k.shape) == 4 and tuple(k.shape) == tuple(v.shape),
          f"q, k and v must be batch x heads x tokens x size, k and v alike; got {shape_text(q, k, v)}")
    batch, heads, queries, head = q.shape
    check("attention", k.shape[0] == batch and k.shape[3] == head, f"q and k must agree in batch and size of a head, got {shape_text(q, k)}")
    check("attention", k.shape[1] > 0 and heads % k.shape[1] == 0, f"the heads of q ({heads}) must be a multiple of those of k and v ({k.shape[1]})")
    check("attention", 1 <= head <= 256, f"a head has 1 to 256 elements, got {head}")
    check("attention", k.shape[2] > 0 or queries == 0, "there are no keys")
    q, k, v = with_unit_columns(q), with_unit_columns(k), with_unit_columns(v)
    out, lse = empty(q), empty(q, (batch, heads, queries), wide(q))
    constants, over_queries, _ = _setup(q, k, causal)
    launch("flash_attention.py", "flash_attention", over_queries, q, k, v, out, lse, *_sizes(q, k, scale), *_places(q, k, v, out), **constants)
    return out, lse


def attention_backward(q, k, v, out, lse, dout, causal, scale):
    q, k, v, out, dout = (with_unit_columns(array) for array in (q, k, v, out, dout))
    dq, dk, dv, delta = empty(q), empty(k), empty(v), empty(lse)
    constants, over_queries, over_keys = _setup(q, k, causal, backward=True)
    heads, queries = q.shape[1], q.shape[2]
    launch("flash_attention.py", "flash_attention_delta", over_queries, out, dout, delta, heads, queries, *_places(out, dout), HEAD=constants["HEAD"],
           BLOCK_D=constants["BLOCK_D"], BLOCK_M=constants["BLOCK_M"])
    launch("flash_attention.py", "flash_attention_backward_queries", over_queries, q, k, v, dout, dq, lse, delta, *_sizes(q, k, scale),
           *_places(q, k, v, dout, dq), **constants)
    launch("flash_attention.py", "flash_attention_backward_keys", over_keys, q, k, v, dout, dk, dv, lse, delta, *_sizes(q, k, scale),
           *_places(q, k, v, dout, dk, dv), **constants)
    return dq, dk, dv
