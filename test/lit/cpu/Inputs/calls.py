# A kernel that calls a function of its own and one of the library.
import triton
import triton.language as tl


@triton.jit
def square(x):
    return x * x


@triton.jit
def kernel(p, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    y = square(tl.load(p + i))
    tl.store(p, tl.sum(y, 0))
