"""The names of the kernel language, `tl`: types, and functions that run only inside a kernel."""

from .._utils import TRITON_MAX_TENSOR_NUMEL
from .functions import *  # noqa: F401,F403
from .functions import __all__ as _functions
from .types import *  # noqa: F401,F403
from .types import __all__ as _types

from . import core, extra, math, random, standard, target_info  # isort: skip

# Kernels call it, too. What marks such functions needs the types above.
core.get_int_dtype = target_info.constexpr_function(core.get_int_dtype)

__all__ = ["TRITON_MAX_TENSOR_NUMEL", "core", "extra", "math", "random", "standard", "target_info", *_functions, *_types]
