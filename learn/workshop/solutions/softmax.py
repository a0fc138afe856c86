"""Phase 2: softmax of each row: one program per row, reductions inside of a block."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def triton_softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    # step 1: load the row; lanes outside must not win the maximum
    x = tl.load(input_ptr + row * input_row_stride + columns, mask=mask, other=-float("inf"))
    # step 2: subtract the largest, take exp
    weight = tl.exp(x - tl.max(x, axis=0))
    # step 3: divide by the sum, store
    tl.store(output_ptr + row * output_row_stride + columns, weight / tl.sum(weight, axis=0), mask=mask)


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
