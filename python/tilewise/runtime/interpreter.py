"""Interpreter mode: the kernel's Python body run line by line."""


class InterpretedFunction:
    """The place of interpreter mode behind `jit`."""

    def __init__(self, fn, **options):
        raise NotImplementedError(
            f"'{fn.__name__}' was asked to run in interpreter mode, which this version does not have; unset TRITON_INTERPRET")
