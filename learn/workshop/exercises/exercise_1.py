"""Exercise 1: add two vectors. Five steps; run the file to have it checked."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    # step 1: which program is this?
    pid = ...
    # step 2: its elements
    offsets = ...
    # step 3: the mask that keeps them below n_elements
    mask = ...
    # step 4: load both, add
    output = ...
    # step 5: store
    ...


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
