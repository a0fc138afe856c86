"""Any small filter over each plane of a picture: sharpen, edges, Gaussian, motion blur, Sobel; any anchor, two kinds of border.

The output pixel is the weighted sum of the pixels around it: weight (0, 0) goes to the pixel ANCHOR_Y rows above and ANCHOR_X
columns to the left. Weights are not mirrored, as in neural networks and image libraries (strictly: a correlation).
BORDER says what lies outside the picture: "zero", or "clamp", the nearest pixel of the edge.
"""

import triton
import triton.language as tl


@triton.jit
def filter2d(
    in_ptr, out_ptr, weights_ptr, height, width,
    SIZE_Y: tl.constexpr, SIZE_X: tl.constexpr, ANCHOR_Y: tl.constexpr, ANCHOR_X: tl.constexpr, BORDER: tl.constexpr,
    BLOCK_H: tl.constexpr, BLOCK_W: tl.constexpr,
):
    tl.static_assert(BORDER == "zero" or BORDER == "clamp", "BORDER is zero or clamp")
    plane = tl.program_id(0).to(tl.int64) * height * width
    y = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)[:, None]
    x = tl.program_id(2) * BLOCK_W + tl.arange(0, BLOCK_W)[None, :]
    acc = tl.zeros((BLOCK_H, BLOCK_W), dtype=tl.float64 if in_ptr.dtype.element_ty == tl.float64 else tl.float32)
    # The filter is known to be small, so its loops are unrolled: its weights then sit in registers.
    for dy in tl.static_range(SIZE_Y):
        for dx in tl.static_range(SIZE_X):
            from_y = y + (dy - ANCHOR_Y)
            from_x = x + (dx - ANCHOR_X)
            if BORDER == "clamp":
                from_y = tl.minimum(tl.maximum(from_y, 0), height - 1)
                from_x = tl.minimum(tl.maximum(from_x, 0), width - 1)
                value = tl.load(in_ptr + plane + from_y * width + from_x)
            else:
                inside = (from_y >= 0) & (from_y < height) & (from_x >= 0) & (from_x < width)
                value = tl.load(in_ptr + plane + from_y * width + from_x, mask=inside, other=0)
            acc += value.to(acc.dtype) * tl.load(weights_ptr + dy * SIZE_X + dx).to(acc.dtype)
    if out_ptr.dtype.element_ty == tl.uint8:
        # Bytes: round to the nearest and stay within 0 to 255, instead of wrapping around.
        acc = tl.minimum(tl.maximum(tl.floor(acc + 0.5), 0.0), 255.0)
    tl.store(out_ptr + plane + y * width + x, acc.to(out_ptr.dtype.element_ty), mask=(y < height) & (x < width))
