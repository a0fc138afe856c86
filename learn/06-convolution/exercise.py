"""Step 6: a 2-D convolution of each plane."""

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
    # step 1: a tile of zeros to add up in, in tl.float32
    acc = ...
    for dy in tl.static_range(SIZE):
        for dx in tl.static_range(SIZE):
            # step 2: is the shifted pixel inside of the picture?
            inside = ...
            # step 3: load the shifted tile, 0.0 outside
            value = ...
            # step 4: the weight of this place, a single number
            weight = ...
            acc += value * weight
    # step 5: store acc where the pixel itself is inside
    ...
