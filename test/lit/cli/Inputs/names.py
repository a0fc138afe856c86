"""A kernel whose names mean something else in C."""
import triton
import triton.language as tl


@triton.jit
def double(arguments, default, size, grid, end, end_):
    at = tl.arange(0, 16)
    tl.store(grid + at, tl.load(arguments + at) * size + default + end - end_)
