"""Integer helpers for computing grids and block sizes on the host; kernels have them, too."""

from .runtime.constexpr_function import constexpr_function


@constexpr_function
def cdiv(x, y):
    """x / y rounded up."""
    return -(-x // y)


@constexpr_function
def next_power_of_2(n):
    """The smallest power of two that is at least n."""
    return 1 << (n - 1).bit_length() if n > 0 else 0
