# Blocks of a fixed size, a wrap around and a guard prove nothing wrong.
# RUN: %tilewise emit --stage=opt %s:fixed --signature "*fp32, *fp32, 64" 2>&1 >%t | count 0
# RUN: %tilewise emit --stage=opt %s:wrapped --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
# RUN: %tilewise emit --stage=opt %s:guarded --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def fixed(p, q, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(q + at, tl.load(p + at))

@triton.jit
def wrapped(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(q + at, tl.load(p + at % n), mask=at < n)

@triton.jit
def guarded(p, q, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    at = first + tl.arange(0, BLOCK)
    if first + BLOCK <= n:
        tl.store(q + at, tl.load(p + at))
    else:
        tl.store(q + at, tl.load(p + at, mask=at < n), mask=at < n)
