"""Step 7: softmax of each row."""

import triton
import triton.language as tl


@triton.jit
def softmax(out_ptr, in_ptr, out_stride, in_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    # step 1: load the row; what lies past its end must not count
    x = ...
    # step 2: exp(x - maximum)
    weight = ...
    # step 3: divide by the sum
    y = ...
    # step 4: store the row
    ...
