"""Exercise 1: add two vectors. Five steps; run the file to have it checked."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # step 1: which program is this?
    pid = tl.program_id(axis=0)
    # step 2: its elements
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # step 3: the mask that keeps them below n_elements
    mask = offsets < n_elements
    # step 4: load both, add
    output = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    # step 5: store
    tl.store(output_ptr + offsets, output, mask=mask)


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
