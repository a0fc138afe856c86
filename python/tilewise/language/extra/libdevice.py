"""`triton.language.extra.libdevice`: the device's math library, elementwise."""

from ... import _native
from ..functions import offer as _offer

_MODULE = "triton.language.extra.libdevice"
__all__ = _native.language_names(_MODULE)
globals().update(_offer(_MODULE, __all__))
