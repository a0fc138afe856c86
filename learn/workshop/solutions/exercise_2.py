"""Exercise 2: a sepia filter. The picture is three planes, red, green and blue, of height x width; so is the result."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def sepia_kernel(x_ptr, output_ptr, height, width, BLOCK_SIZE_H: tl.constexpr, BLOCK_SIZE_W: tl.constexpr):
    # step 1: rows of this tile as a column, columns as a row: [:, None] and [None, :]
    rows = tl.program_id(0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)[:, None]
    columns = tl.program_id(1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)[None, :]
    # step 2: inside of the picture, both ways
    mask = (rows < height) & (columns < width)
    # step 3: offsets in a plane, and the three loads
    at = rows * width + columns
    plane = height * width
    r = tl.load(x_ptr + at, mask=mask)
    g = tl.load(x_ptr + plane + at, mask=mask)
    b = tl.load(x_ptr + 2 * plane + at, mask=mask)
    # step 4: each colour at most 1:  0.393 r + 0.769 g + 0.189 b,  0.349 r + 0.686 g + 0.168 b,  0.272 r + 0.534 g + 0.131 b
    tl.store(output_ptr + at, tl.minimum(0.393 * r + 0.769 * g + 0.189 * b, 1.0), mask=mask)
    tl.store(output_ptr + plane + at, tl.minimum(0.349 * r + 0.686 * g + 0.168 * b, 1.0), mask=mask)
    tl.store(output_ptr + 2 * plane + at, tl.minimum(0.272 * r + 0.534 * g + 0.131 * b, 1.0), mask=mask)


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
