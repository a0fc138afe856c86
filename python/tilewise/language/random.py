"""`triton.language.random`: Philox and what is drawn from it."""

from .functions import offer as _offer

_NAMES = "philox philox_impl randint randint4x rand rand4x randn randn4x uint_to_uniform_float pair_uniform_to_normal"
globals().update(_offer("triton.language", _NAMES))
__all__ = [*_NAMES.split(), "N_ROUNDS_DEFAULT"]

from .types import constexpr as _constexpr  # noqa: E402

N_ROUNDS_DEFAULT = _constexpr(10)
