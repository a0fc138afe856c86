"""A kernel that prints, and so needs the library."""

import triton
import triton.language as tl


@triton.jit
def prints(x_ptr):
    tl.device_print("x", tl.load(x_ptr))
