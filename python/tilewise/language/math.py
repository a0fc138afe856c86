"""`triton.language.math`: the elementwise functions."""

from .functions import offer as _offer

_NAMES = "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
globals().update(_offer("triton.language.math", _NAMES))
__all__ = _NAMES.split()
