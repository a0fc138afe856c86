"""`triton.language.target_info`: what kernels may ask about the machine they are compiled for; answered when they are compiled."""

from ..runtime.constexpr_function import constexpr_function

__all__ = ["cuda_capability_geq", "current_target", "is_cuda", "is_hip", "is_hip_cdna3", "is_hip_cdna4", "is_hip_gfx1250"]


@constexpr_function
def current_target():
    """On the host, what the driver says; kernels ask the compiler, which knows what they are compiled for."""
    from ..runtime.driver import driver
    return driver.active.get_current_target()


@constexpr_function
def is_cuda():
    return current_target().backend == "cuda"


@constexpr_function
def cuda_capability_geq(major, minor=0):
    target = current_target()
    return target.backend == "cuda" and target.arch >= major * 10 + minor


@constexpr_function
def is_hip():
    return False


@constexpr_function
def is_hip_cdna3():
    return False


@constexpr_function
def is_hip_cdna4():
    return False


@constexpr_function
def is_hip_gfx1250():
    return False
