"""Cross entropy of rows of logits with a class number each, for any number of classes: loss and gradient without storing a softmax.

    loss = log(sum(exp(x))) - x[target], in the online form: one walk over the row for maximum and sum
    dx   = (softmax(x) - 1 at the target) * dloss

With `smoothing` s the target gets 1 - s + s / classes and every other class s / classes. Rows whose target is `ignored` count as 0.
"""

import triton
import triton.language as tl


@triton.jit
def cross_entropy(
    x_ptr, target_ptr, loss_ptr, lse_ptr, stride, classes, ignored, smoothing, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * stride
    target = tl.load(target_ptr + row)
    lane = tl.arange(0, BLOCK)
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32

    highest = tl.full((BLOCK,), -float("inf"), dtype=compute)
    total = tl.zeros((BLOCK,), dtype=compute)
    plain_sum = tl.zeros((BLOCK,), dtype=compute)
    for first in range(0, classes, BLOCK):
        inside = first + lane < classes
        x = tl.load(x_row + first + lane, mask=inside, other=-float("inf")).to(compute)
        now = tl.maximum(highest, x)
        total = tl.where(now == -float("inf"), 0.0, total * tl.exp(highest - now) + tl.exp(x - now))
        highest = now
        plain_sum += tl.where(inside, x, 0.0)
    top = tl.max(highest, axis=0)
    total = tl.sum(tl.where(highest == -float("inf"), 0.0, total * tl.exp(highest - top)), axis=0)
    lse = top + tl.log(total)
    tl.store(lse_ptr + row, lse)

    counts = (target != ignored) & (target >= 0) & (target < classes)
    chosen = tl.load(x_row + target, mask=counts, other=0.0).to(compute)
    loss = lse - chosen
    if smoothing > 0:
        loss = (1 - smoothing) * loss + smoothing * (lse - tl.sum(plain_sum, axis=0) / classes)
    tl.store(loss_ptr + row, tl.where(target == ignored, 0.0, loss))


@triton.jit
def cross_entropy_backward(
    x_ptr, target_ptr, lse_ptr, dloss_ptr, dx_ptr, stride, dx_stride, classes, ignored, smoothing, BLOCK: tl.constexpr
):
    """A program takes one row and one block of it: rows are long, so that is what fills a machine."""
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = column < classes
    compute: tl.constexpr = tl.float64 if x_ptr.dtype.element_ty == tl.float64 else tl.float32
    target = tl.load(target_ptr + row)
    lse = tl.load(lse_ptr + row)
    dloss = tl.where(target == ignored, 0.0, tl.load(dloss_ptr + row).to(compute))
    x = tl.load(x_ptr + row * stride + column, mask=inside, other=-float("inf")).to(compute)
    # In fp64 for fp64 data: a quotient of fp32 would have only its digits.
    smoothing = smoothing.to(compute)
    wanted = tl.where(column == target, 1 - smoothing, 0.0) + smoothing / classes
    tl.store(dx_ptr + row * dx_stride + column, (tl.exp(x - lse) - wanted) * dloss, mask=inside)
