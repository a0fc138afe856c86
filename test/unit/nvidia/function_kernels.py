"""Functions of single elements, for AgreementTest.cpp."""

import triton
import triton.language as tl


@triton.jit
def exponentials(x_ptr, y_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(y_ptr + at, tl.exp(x), mask=at < n)


@triton.jit
def old_values(sums, out, BLOCK: tl.constexpr):
    """What atomics give goes from the threads that perform them to all others."""
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.atomic_add(sums + at, 2.0) * 3.0)
