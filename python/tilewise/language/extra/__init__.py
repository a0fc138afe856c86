"""`triton.language.extra`: the device's math library and what is only on NVIDIA GPUs."""

from . import cuda, libdevice

__all__ = ["cuda", "libdevice"]
