"""`triton.runtime.driver.active` where the host stands for a GPU: it answers as a GPU's driver."""

import sys

from ..backends.compiler import GPUTarget
from ..backends.driver import TilewiseDriver, Utils, properties_of_gpu


class HostAsGpuUtils(Utils):
    """What upstream's drivers offer beside launching, in a GPU's words."""

    @staticmethod
    def get_device_properties(device):
        return properties_of_gpu(device)


class HostAsGpuDriver(TilewiseDriver):
    """Kernels run on the host's engine; programs are told of torch.cuda's one device."""

    def __init__(self):
        super().__init__()
        self.utils = HostAsGpuUtils()

    def get_current_target(self):
        major, minor = sys.modules["torch"].cuda.get_device_capability()
        return GPUTarget("cuda", major * 10 + minor, 32)

    def get_active_torch_device(self):
        return sys.modules["torch"].device("cuda", 0)

    def query_gpu(self, attributes):
        """The clock in MHz, whatever is asked."""
        return [sys.modules["torch"].cuda.get_device_properties().clock_rate // 1000 for _ in attributes]
