"""Exercise 3: convolution. Pixel (y, x) of a plane is the sum over the filter of weight (i, j) times pixel (y + i, x + j), 0 outside of the picture."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def conv2d_kernel(input_ptr, output_ptr, conv_kernel_ptr, height, width, kernel_size: tl.constexpr, BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr):
    # step 1: a grid of three dimensions: the plane, and its tile
    plane = tl.program_id(0) * height * width
    rows = tl.program_id(1) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)[:, None]
    columns = tl.program_id(2) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)[None, :]
    accumulator = tl.zeros((BLOCK_SIZE_H, BLOCK_SIZE_W), dtype=tl.float32)
    for i in tl.static_range(kernel_size):
        for j in tl.static_range(kernel_size):
            # step 2: which of the shifted pixels are there
            mask = (rows + i < height) & (columns + j < width)
            # step 3: load them, and the weight, and add their product
            pixel = tl.load(input_ptr + plane + (rows + i) * width + columns + j, mask=mask, other=0.0)
            accumulator += pixel * tl.load(conv_kernel_ptr + i * kernel_size + j)
    # step 4: store
    tl.store(output_ptr + plane + rows * width + columns, accumulator, mask=(rows < height) & (columns < width))


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
