"""`triton.backends.nvidia.compiler`: what libraries ask of upstream's compiler for NVIDIA GPUs."""


def min_dot_size(target):
    """A function of the operands' types that gives the least M, N and K of a dot: K is 32 for types of 8 bits, else 16."""

    def least(lhs_type, rhs_type):
        return (1, 1, 32 if lhs_type.scalar.primitive_bitwidth == 8 else 16)

    return least
