"""`triton.backends.driver`: the host's view of where kernels run."""

import time


def properties_of_gpu(device):
    """What torch.cuda says of a GPU, under the names of upstream's drivers."""
    import torch
    found = torch.cuda.get_device_properties(device)
    return {"max_shared_mem": getattr(found, "shared_memory_per_block_optin", 49152), "max_num_regs": 65536,
            "multiprocessor_count": found.multi_processor_count, "warpSize": 32,
            "sm_clock_rate": getattr(found, "clock_rate", 1000000), "mem_clock_rate": getattr(found, "memory_clock_rate", 1000000),
            "mem_bus_width": getattr(found, "memory_bus_width", 128)}


class Utils:
    """What upstream's drivers offer beside launching."""

    @staticmethod
    def get_device_properties(device):
        from .. import _native, engines
        if engines.active_backend() == "cuda":
            return properties_of_gpu(device)
        import os
        return {"max_shared_mem": 1 << 30, "max_num_regs": 65536, "multiprocessor_count": len(os.sched_getaffinity(0)),
                "warpSize": 32, "sm_clock_rate": 1000000, "mem_clock_rate": 1000000, "mem_bus_width": 128, "name": _native.device_name("cpu")}

    @staticmethod
    def set_printf_fifo_size(size):
        """Messages of kernels are not kept in a buffer of a fixed size."""

    @staticmethod
    def unload_module(module):
        """Compiled kernels go with their functions."""


class DriverBase:
    """What every driver is."""

    @classmethod
    def is_active(cls):
        return False


class TilewiseDriver(DriverBase):
    """The one driver: GPU tensors run on their GPU, everything else on the host's engine."""

    def __init__(self):
        self.utils = Utils()
        self.launcher_cls = None

    @classmethod
    def is_active(cls):
        return True

    def get_current_target(self):
        """What programs are told."""
        return self.get_compile_target()

    def get_compile_target(self):
        """What kernels are compiled for."""
        from .. import engines
        from .compiler import GPUTarget
        backend = engines.active_backend()
        if backend == "cuda":
            import torch
            major, minor = torch.cuda.get_device_capability()
            return GPUTarget("cuda", major * 10 + minor, 32)
        return GPUTarget(backend, 0, 1)

    def get_current_device(self):
        return self._torch_cuda().current_device() if self._torch_cuda() else 0

    def set_current_device(self, device):
        if self._torch_cuda():
            self._torch_cuda().set_device(device)

    def get_current_stream(self, device=None):
        return self._torch_cuda().current_stream(device).cuda_stream if self._torch_cuda() else 0

    @staticmethod
    def _torch_cuda():
        from .. import engines
        if engines.active_backend() != "cuda":
            return None
        import torch
        return torch.cuda

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", self.get_current_device()) if self._torch_cuda() else torch.device("cpu")

    def get_device_interface(self):
        return self._torch_cuda() or HostInterface

    def query_gpu(self, attributes):
        """What `nvidia-smi` says of these attributes, as numbers."""
        import subprocess
        told = subprocess.check_output(["nvidia-smi", "-i", "0", f"--query-gpu={','.join(attributes)}", "--format=csv,noheader,nounits"], text=True)
        return [int(value) for value in told.split(",")]

    def get_benchmarker(self):
        from ..testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        # 256 MB is more than any level-2 cache of a GPU; on the host, memory that outgrows the last level.
        import torch
        return torch.empty(256 * 1024 * 1024 // 4, dtype=torch.int, device=self.get_active_torch_device())

    def clear_cache(self, cache):
        cache.zero_()


class CpuDriver(TilewiseDriver):
    """For programs that choose the CPU, GPU or not: never active by itself."""

    @classmethod
    def is_active(cls):
        return False

    def get_compile_target(self):
        from .compiler import GPUTarget
        return GPUTarget("cpu", 0, 1)

    @staticmethod
    def _torch_cuda():
        return None


class HostEvent:
    """A moment, as torch.cuda.Event has it."""

    def __init__(self, enable_timing=False):
        self.at = 0.0

    def record(self, stream=None):
        self.at = time.perf_counter()

    def elapsed_time(self, later):
        return (later.at - self.at) * 1e3

    def synchronize(self):
        """Launches on the host have finished on return."""


class HostInterface:
    """The part of torch.cuda that benchmarks use, for launches that have finished on return."""

    Event = HostEvent

    @staticmethod
    def synchronize(device=None):
        """Launches on the host have finished on return."""

    @staticmethod
    def current_device():
        return 0
