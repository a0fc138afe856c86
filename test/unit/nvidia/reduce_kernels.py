# Reductions whose combine function rounds otherwise when its operands change places.
import triton
import triton.language as tl


@triton.jit
def merge(mean, squares, count, other_mean, other_squares, other_count):
    total = count + other_count
    share = tl.where(total == 0, 0.0, other_count / total)
    apart = other_mean - mean
    return mean + apart * share, squares + other_squares + apart * apart * count * share, total


@triton.jit
def moments(x_ptr, mean_ptr, variance_ptr, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    x = tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS)[None, :], mask=row < rows, other=0)
    mean, squares, _ = tl.reduce((x, tl.zeros_like(x), tl.full(x.shape, 1.0, tl.float32)), 1, merge)
    # These have lanes for rows where the sums have copies in several lanes.
    tl.store(mean_ptr + row, mean[:, None], mask=row < rows)
    tl.store(variance_ptr + row, squares[:, None] / COLUMNS, mask=row < rows)
