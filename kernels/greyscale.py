"""The brightness of a picture of three planes (red, green, blue), each height x width."""

import triton
import triton.language as tl


@triton.jit
def brightness(red, green, blue):
    return 0.299 * red + 0.587 * green + 0.114 * blue


@triton.jit
def greyscale(in_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    y = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    x = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (y < height) & (x < width)
    pixel = y * width + x
    plane = height * width
    red = tl.load(in_ptr + pixel, mask=inside)
    green = tl.load(in_ptr + plane + pixel, mask=inside)
    blue = tl.load(in_ptr + 2 * plane + pixel, mask=inside)
    tl.store(out_ptr + pixel, brightness(red, green, blue), mask=inside)
