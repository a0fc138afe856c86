"""Step 5, an answer."""

import triton
import triton.language as tl


@triton.jit
def sepia(x_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    y = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    x = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (y < height) & (x < width)
    at = y * width + x
    plane = height * width
    r = tl.load(x_ptr + at, mask=inside)
    g = tl.load(x_ptr + plane + at, mask=inside)
    b = tl.load(x_ptr + 2 * plane + at, mask=inside)
    tl.store(out_ptr + at, tl.minimum(0.393 * r + 0.769 * g + 0.189 * b, 1.0), mask=inside)
    tl.store(out_ptr + plane + at, tl.minimum(0.349 * r + 0.686 * g + 0.168 * b, 1.0), mask=inside)
    tl.store(out_ptr + 2 * plane + at, tl.minimum(0.272 * r + 0.534 * g + 0.131 * b, 1.0), mask=inside)
