"""Phase 1: a vector add, the smallest kernel that has everything: program id, offsets, mask, load, store."""

import tilewise as triton
import tilewise.language as tl


@triton.jit
def triton_vector_add_kernel(x_ptr, y_ptr, output_ptr, n, BLOCK_SIZE: tl.constexpr):
    # step 1: offsets of this program's elements, and their mask
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    # step 2: load both, add, store
    tl.store(output_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)


if __name__ == "__main__":
    from tilewise.learn.workshop import main
    main(__file__)
