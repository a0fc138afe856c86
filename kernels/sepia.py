"""A sepia tint of a picture of three planes, clipped to 1."""

import triton
import triton.language as tl


@triton.jit
def tint(red, green, blue, r: tl.constexpr, g: tl.constexpr, b: tl.constexpr):
    return tl.minimum(r * red + g * green + b * blue, 1.0)


@triton.jit
def sepia(in_ptr, out_ptr, height, width, BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr):
    y = tl.program_id(0) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    x = tl.program_id(1) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    inside = (y < height) & (x < width)
    pixel = y * width + x
    plane = height * width
    red = tl.load(in_ptr + pixel, mask=inside)
    green = tl.load(in_ptr + plane + pixel, mask=inside)
    blue = tl.load(in_ptr + 2 * plane + pixel, mask=inside)
    tl.store(out_ptr + pixel, tint(red, green, blue, 0.393, 0.769, 0.189), mask=inside)
    tl.store(out_ptr + plane + pixel, tint(red, green, blue, 0.349, 0.686, 0.168), mask=inside)
    tl.store(out_ptr + 2 * plane + pixel, tint(red, green, blue, 0.272, 0.534, 0.131), mask=inside)
