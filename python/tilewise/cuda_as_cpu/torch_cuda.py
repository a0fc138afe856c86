"""torch.cuda without a GPU: what programs call of it, for a device whose work is done when a call returns.

Every public name of this file replaces the name in torch.cuda and in torch.cuda's submodules when TILEWISE_CUDA_AS_CPU is set; docs/python.md
lists them. There is one device, number 0: the host's memory and this process's cores."""

import contextlib
import os
import resource
import sys
import time

from .graphs import CUDAGraph, graph_pool_handle, is_current_stream_capturing  # noqa: F401

# What get_device_capability answers. Programs take it for the features of a GPU: 8.0 has bf16 and tf32, and asks for none of the paths that
# copy by hardware descriptors (from 9.0 on).
_CAPABILITY = (8, 0)


def _torch():
    return sys.modules["torch"]


def _device(index=None):
    return _torch().device("cuda", 0)


def _check(device):
    """A device as programs name it -> 0, the only one there is. As in torch, what is no device means the current one."""
    if isinstance(device, str):
        device = _torch().device(device)
    index = device if isinstance(device, int) else device.index if isinstance(device, _torch().device) else None
    if index not in (None, 0, -1):
        raise RuntimeError(f"there is one device, cuda:0, with TILEWISE_CUDA_AS_CPU=1, not cuda:{index}")
    return 0


class DeviceProperties:
    """What get_device_properties gives: the host in a GPU's words."""

    def __init__(self):
        self.name = get_device_name()
        self.major, self.minor = _CAPABILITY
        self.multi_processor_count = len(os.sched_getaffinity(0))
        self.total_memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        self.warp_size = 32
        self.max_threads_per_block = 1024
        self.max_threads_per_multi_processor = 2048
        self.regs_per_multiprocessor = 65536
        self.shared_memory_per_block = 49152
        self.shared_memory_per_block_optin = 166912
        self.shared_memory_per_multiprocessor = 167936
        self.L2_cache_size = 1 << 25
        self.clock_rate = self.memory_clock_rate = 1000000
        self.memory_bus_width = 128
        self.is_integrated = self.is_multi_gpu_board = 0
        self.gcnArchName = ""

    def __repr__(self):
        return f"DeviceProperties(name={self.name!r}, major={self.major}, minor={self.minor}, multi_processor_count={self.multi_processor_count})"


def is_available():
    return True


def is_initialized():
    return True


def init():
    """Nothing is to be done."""


def device_count():
    return 1


def current_device():
    return 0


def set_device(device):
    _check(device)


def get_device_capability(device=None):
    _check(device)
    return _CAPABILITY


def get_device_name(device=None):
    _check(device)
    from .. import _native
    return _native.device_name("cpu")


def get_device_properties(device=None):
    _check(device)
    return DeviceProperties()


def get_arch_list():
    return ["sm_%d%d" % _CAPABILITY]


def get_gencode_flags():
    return ""


def can_device_access_peer(device, peer_device):
    return False


def is_bf16_supported(including_emulation=True):
    return True


def is_tf32_supported():
    return True


def synchronize(device=None):
    """Everything has finished when its call returned."""
    _check(device)


def ipc_collect():
    """There is nothing to collect."""


class device:  # noqa: N801 (torch's name)
    """`with torch.cuda.device(0):`, and the same around a tensor's device."""

    def __init__(self, device):
        self.idx = _check(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = 0

    def __exit__(self, *_):
        return False


class device_of(device):  # noqa: N801 (torch's name)

    def __init__(self, obj):
        super().__init__(0)


class Event:
    """A moment of the host's clock."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._at = None
        self.device = _device()
        self.cuda_event = 0

    @classmethod
    def from_ipc_handle(cls, device, handle):
        raise RuntimeError("events are not shared between processes with TILEWISE_CUDA_AS_CPU=1")

    def record(self, stream=None):
        self._at = time.perf_counter()

    def elapsed_time(self, end_event):
        """Milliseconds from this event to the other."""
        if self._at is None or end_event._at is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._at - self._at) * 1e3

    def query(self):
        return True

    def synchronize(self):
        """What came before it has finished."""

    def wait(self, stream=None):
        """What came before it has finished."""


class Stream:
    """An order of work. The host does everything in the order of the calls."""

    def __init__(self, device=None, priority=0, **_):
        self.device = _device(_check(device))
        self.device_index = 0
        self.device_type = 1
        self.priority = priority
        self.stream_id = self.cuda_stream = 0
        self._outer = []

    def __enter__(self):
        self._outer.append(current_stream())
        set_stream(self)
        return self

    def __exit__(self, *_):
        set_stream(self._outer.pop())

    @staticmethod
    def priority_range():
        return (0, -1)

    def query(self):
        return True

    def is_capturing(self):
        return is_current_stream_capturing()

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self):
        """Everything has finished when its call returned."""

    def wait_event(self, event):
        """What came before it has finished."""

    def wait_stream(self, stream):
        """What is on it has finished."""

    def __eq__(self, other):
        return isinstance(other, Stream)

    def __hash__(self):
        return 0


ExternalStream = Stream
_default_stream = None
_current_stream = None


def default_stream(device=None):
    global _default_stream
    _check(device)
    if _default_stream is None:
        _default_stream = Stream()
    return _default_stream


def current_stream(device=None):
    return _current_stream or default_stream(device)


def set_stream(stream):
    global _current_stream
    _current_stream = stream


class StreamContext:
    """`with torch.cuda.stream(s):`; None leaves everything as it is."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *_):
        if self.stream is not None:
            self.stream.__exit__()


def stream(stream):
    return StreamContext(stream)


class DeviceGenerator:
    """What programs read seed and offset from for generators of their own: torch's random functions draw from the host's."""

    def __init__(self):
        self._seed, self._offset = 0, 0
        self.device = _device()

    def manual_seed(self, seed):
        self._seed, self._offset = int(seed), 0
        _torch().default_generator.manual_seed(self._seed)
        return self

    def initial_seed(self):
        return self._seed

    def get_state(self):
        """As a GPU's generator has it: seed and offset, 16 bytes."""
        return _torch().tensor([self._seed, self._offset], dtype=_torch().int64).view(_torch().uint8)

    def set_state(self, state):
        self._seed, self._offset = state.view(_torch().int64).tolist()

    def get_offset(self):
        return self._offset

    def set_offset(self, offset):
        self._offset = offset


default_generators = (DeviceGenerator(),)


# The generator of the host is the device's, too.
def manual_seed(seed):
    default_generators[0].manual_seed(seed)


manual_seed_all = manual_seed


def seed():
    _torch().default_generator.seed()


seed_all = seed


def initial_seed():
    return _torch().default_generator.initial_seed()


def get_rng_state(device="cuda"):
    return _torch().default_generator.get_state()


def get_rng_state_all():
    return [get_rng_state()]


def set_rng_state(new_state, device="cuda"):
    _torch().default_generator.set_state(new_state)


def set_rng_state_all(new_states):
    for state in new_states:
        set_rng_state(state)


# Memory: the process's, as the system counts it.
def memory_allocated(device=None):
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


memory_reserved = memory_cached = memory_allocated


def max_memory_allocated(device=None):
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


max_memory_reserved = max_memory_cached = max_memory_allocated


def memory_stats(device=None):
    current, peak = memory_allocated(), max_memory_allocated()
    return {f"{what}_bytes.all.{when}": value for what in ("allocated", "reserved", "active") for when, value in (("current", current), ("peak", peak))}


memory_stats_as_nested_dict = memory_stats


def memory_summary(device=None, abbreviated=False):
    return "\n".join(f"{name}: {value}" for name, value in memory_stats().items())


def mem_get_info(device=None):
    page = os.sysconf("SC_PAGE_SIZE")
    return os.sysconf("SC_AVPHYS_PAGES") * page, os.sysconf("SC_PHYS_PAGES") * page


def empty_cache():
    """Nothing is kept back."""


def reset_peak_memory_stats(device=None):
    """The system's peak cannot be reset."""


reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = reset_peak_memory_stats


def set_per_process_memory_fraction(fraction, device=None):
    """The host's memory is not divided."""


class nvtx:  # noqa: N801 (a submodule of torch.cuda)
    """Marks for NVIDIA's profilers, which see nothing of this."""

    @staticmethod
    def range_push(msg):
        return 0

    @staticmethod
    def range_pop():
        return 0

    @staticmethod
    def range_start(msg):
        return 0

    @staticmethod
    def range_end(range_id):
        """No profiler listens."""

    @staticmethod
    def mark(msg):
        """No profiler listens."""

    @staticmethod
    @contextlib.contextmanager
    def range(msg, *arguments, **named):  # noqa: A003 (torch's name)
        yield


class profiler:  # noqa: N801 (a submodule of torch.cuda)
    """NVIDIA's profilers are not there to be started."""

    @staticmethod
    def start():
        """No profiler listens."""

    @staticmethod
    def stop():
        """No profiler listens."""

    @staticmethod
    @contextlib.contextmanager
    def profile():
        yield


def names():
    """Every name that is replaced: {name: value}; for a submodule, a class of the names in it."""
    return {name: value for name, value in globals().items()
            if not name.startswith("_") and name not in ("contextlib", "names", "os", "resource", "sys", "time", "DeviceGenerator", "DeviceProperties")}
