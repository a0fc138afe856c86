"""Phase 1: a vector add, the smallest kernel that has everything: program id, offsets, mask, load, store."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def triton_vector_add_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK_SIZE: tl.constexpr):
    # step 1: offsets of this program's elements, and their mask
    offsets = ...
    mask = ...
    # step 2: load both, add, store
    ...


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
