# Neutral elements, a maximum of lengths, and rows that are masked as a whole: no warning.
# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *i32, *fp32, i32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def k(p, lengths, q, m, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    low = tl.load(p + row * n + at, mask=inside, other=-float("inf"))
    weights = tl.exp(low - tl.max(low, axis=0))
    product = tl.load(p + row * n + at, mask=inside) * tl.load(p + at, mask=inside)
    longest = tl.max(tl.load(lengths + at, mask=inside, other=0), axis=0)
    rows = row * 16 + tl.arange(0, 16)[:, None]
    block = tl.load(p + rows * BLOCK + at[None, :], mask=rows < m, other=0.0)
    highest = tl.max(block, axis=1)
    where = row * 16 + tl.arange(0, 16)
    tl.store(q + where, highest + tl.sum(weights, axis=0) + tl.sum(product, axis=0) + longest, mask=where < m)
