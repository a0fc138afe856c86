# Rows that loaded or divided numbers choose, and columns with weights.
import triton
import triton.language as tl


@triton.jit
def chosen(table, numbers, out, n, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.arange(0, BM)
    c = tl.arange(0, BN)
    row = tl.load(numbers + m)
    inside = c[None, :] < n
    x = tl.load(table + row[:, None] * n + c[None, :], mask=inside)
    tl.store(out + (m // 3)[:, None] * n + c[None, :], x, mask=inside)


@triton.jit
def filtered(x, w, out, n, BM: tl.constexpr, BN: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    c = tl.arange(0, BN)
    y = tl.load(x + m[:, None] * n + c[None, :]) * tl.load(w + c * 4)[None, :]
    y += tl.load(x + (m + 1)[:, None] * n + c[None, :]) * tl.load(w + c * 4 + 1)[None, :]
    tl.store(out + m[:, None] * n + c[None, :], y)
