"""Integer helpers for computing grids and block sizes on the host."""


def cdiv(a, b):
    """a / b rounded up."""
    return -(-a // b)


def next_power_of_2(n):
    """The smallest power of two that is at least n."""
    return 1 << max(n - 1, 0).bit_length()
