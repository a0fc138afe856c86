# A helper that another file imports.
import triton


@triton.jit
def double(x):
    return x + x
