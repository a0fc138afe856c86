"""`triton.backends`: the one backend there is."""

import dataclasses

from .compiler import BaseBackend, GPUTarget  # noqa: F401
from .driver import DriverBase, TilewiseDriver


@dataclasses.dataclass(frozen=True)
class Backend:
    compiler: type = None
    driver: type = None


backends = {"tilewise": Backend(BaseBackend, TilewiseDriver)}

__all__ = ["Backend", "BaseBackend", "DriverBase", "GPUTarget", "backends"]
