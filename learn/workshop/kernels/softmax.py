"""Phase 2: softmax of each row: one program per row, reductions inside of a block."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def triton_softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    # step 1: load the row; lanes outside must not win the maximum
    x = ...
    # step 2: subtract the largest, take exp
    weight = ...
    # step 3: divide by the sum, store
    ...


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
