"""Step 6, an answer."""

import triton
import triton.language as tl


@triton.jit
def convolve(
    in_ptr, out_ptr, weights_ptr, height, width,
    SIZE: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):
    plane = tl.program_id(0) * height * width
    y = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    x = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float32)
    for dy in tl.static_range(SIZE):
        for dx in tl.static_range(SIZE):
            inside = (y + dy < height) & (x + dx < width)
            value = tl.load(in_ptr + plane + (y + dy) * width + (x + dx), mask=inside, other=0.0)
            weight = tl.load(weights_ptr + dy * SIZE + dx)
            acc += value * weight
    tl.store(out_ptr + plane + y * width + x, acc, mask=(y < height) & (x < width))
