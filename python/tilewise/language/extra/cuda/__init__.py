"""`triton.language.extra.cuda`: names that only an NVIDIA GPU has a meaning for."""

import sys as _sys

from ...functions import offer as _offer
from .. import libdevice

_NAMES = """globaltimer smid num_threads num_warps gdc_wait gdc_launch_dependents
    convert_custom_float8_sm70 convert_custom_float8_sm80"""
globals().update(_offer("triton.language.extra.cuda", _NAMES))
__all__ = [*_NAMES.split(), "libdevice"]

# Programs import it from here, too: it is the same module.
_sys.modules[f"{__name__}.libdevice"] = libdevice
