"""Dropout that remembers nothing: the same seed drops the same elements again."""

import triton
import triton.language as tl


@triton.jit
def dropout(x_ptr, y_ptr, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    keep = tl.rand(seed, at) > p
    tl.store(y_ptr + at, tl.where(keep, x / (1.0 - p), 0.0), mask=inside)
