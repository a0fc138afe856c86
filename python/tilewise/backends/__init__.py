"""`triton.backends`: the one backend there is, and under the name by which torch asks whether kernels run on the CPU."""

import dataclasses

from .compiler import BaseBackend, GPUTarget  # noqa: F401
from .driver import CpuDriver, DriverBase, TilewiseDriver


@dataclasses.dataclass(frozen=True)
class Backend:
    compiler: type = None
    driver: type = None


backends = {"tilewise": Backend(BaseBackend, TilewiseDriver), "cpu": Backend(BaseBackend, CpuDriver)}

__all__ = ["Backend", "BaseBackend", "DriverBase", "GPUTarget", "backends"]
