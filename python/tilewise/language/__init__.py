"""The names of the kernel language, `tl`: types, and functions that run only inside a kernel."""

from .builtins import *  # noqa: F401,F403
from .builtins import __all__ as _builtins
from .types import *  # noqa: F401,F403
from .types import __all__ as _types

__all__ = [*_builtins, *_types]
