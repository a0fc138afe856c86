"""The gradient of a row softmax: dx = y * (dy - sum(y * dy)), one row per program."""

import triton
import triton.language as tl


@triton.jit
def softmax_backward(dx_ptr, y_ptr, dy_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    at = row * stride + column
    y = tl.load(y_ptr + at, mask=inside, other=0.0).to(tl.float32)
    dy = tl.load(dy_ptr + at, mask=inside, other=0.0).to(tl.float32)
    inner = tl.sum(y * dy, axis=0)
    tl.store(dx_ptr + at, y * (dy - inner), mask=inside)
