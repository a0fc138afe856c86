"""`triton.language.extra.cuda`: names that only an NVIDIA GPU has a meaning for."""

from ..functions import offer as _offer
from . import libdevice  # noqa: F401

_NAMES = """globaltimer smid num_threads num_warps gdc_wait gdc_launch_dependents
    convert_custom_float8_sm70 convert_custom_float8_sm80"""
globals().update(_offer("triton.language.extra.cuda", _NAMES))
__all__ = [*_NAMES.split(), "libdevice"]
