"""Functions of single elements, for AgreementTest.cpp."""

import triton
import triton.language as tl


@triton.jit
def exponentials(x_ptr, y_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(y_ptr + at, tl.exp(x), mask=at < n)
