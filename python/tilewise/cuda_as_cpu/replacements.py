"""torch's functions that ask for a GPU without a device among their arguments, replaced by ones that work without a GPU."""

import functools
import os
import sys
import types

from . import graphs, torch_cuda
from .places import MARK, is_on_host, kind_of, mark


def _replace_cuda(torch):
    """torch.cuda's functions and classes, there and wherever its submodules have the same ones."""
    modules = [module for name, module in list(sys.modules.items())
               if name.startswith("torch.cuda") and isinstance(module, types.ModuleType)]
    for name, value in torch_cuda.names().items():
        original = getattr(torch.cuda, name, None)
        if isinstance(original, types.ModuleType):
            for inner, function in vars(value).items():
                if not inner.startswith("_"):
                    setattr(original, inner, getattr(value, inner))
            continue
        for module in modules:
            if module is torch.cuda or original is not None and getattr(module, name, None) is original:
                setattr(module, name, value)
    for kind in ("Bool", "Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16", "Float", "Double"):
        setattr(torch.cuda, f"{kind}Tensor", getattr(torch, f"{kind}Tensor"))

    def refuse(*arguments, **named):
        raise RuntimeError("this part of torch.cuda needs a GPU: it is not among what TILEWISE_CUDA_AS_CPU=1 covers (see Tilewise's docs/python.md)")

    def exchange_device(device):
        """What guards call: gives the device before; a negative number asks for none."""
        if device < 0:
            return -1
        torch.cuda.set_device(device)
        return 0

    torch.cuda._lazy_init = refuse
    torch.cuda._exchange_device = torch.cuda._maybe_exchange_device = exchange_device
    graphs.CUDAGraph.on_host = staticmethod(is_on_host)
    if not hasattr(torch._C, "_host_emptyCache"):
        torch._C._host_emptyCache = lambda: None
    torch.cuda._is_compiled = lambda: True
    torch.cuda._is_in_bad_fork = lambda: False
    if torch.version.cuda is None:
        torch.version.cuda = "12.8"
    if not hasattr(torch._C, "_cuda_getCurrentRawStream"):
        torch._C._cuda_getCurrentRawStream = lambda device: 0
    guards = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
    if hasattr(guards, "_empty_strided_cuda"):  # What code that torch.compile has written allocates by.
        guards._empty_strided_cuda = lambda size, stride, dtype: torch.empty_strided(size, stride, dtype=dtype, device="cuda")


def _replace_accelerator(torch):
    """torch's names for whatever accelerator there is: it is the GPU."""
    module_of = torch.get_device_module

    @functools.wraps(module_of)
    def get_device_module(device=None):
        return torch.cuda if device is None or kind_of(device) == "cuda" else module_of(device)

    torch.get_device_module = get_device_module
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:  # torch before 2.6
        return
    accelerator.current_accelerator = lambda check_available=False: torch.device("cuda")
    renamed = {"current_device_index": "current_device", "current_device_idx": "current_device", "set_device_index": "set_device",
               "set_device_idx": "set_device", "device_index": "device", "get_memory_info": "mem_get_info"}
    same = ("is_available", "device_count", "current_stream", "set_stream", "synchronize", "empty_cache", "memory_allocated", "memory_reserved",
            "memory_stats", "max_memory_allocated", "max_memory_reserved", "reset_peak_memory_stats")
    for name, of_cuda in {**renamed, **{name: name for name in same}}.items():
        if hasattr(accelerator, name):
            setattr(accelerator, name, getattr(torch.cuda, of_cuda))


def _replace_autocast(torch):
    """`torch.autocast("cuda")` works on the CPU's operations, with the GPU's type."""
    autocast = torch.amp.autocast_mode.autocast
    init = autocast.__init__

    @functools.wraps(init)
    def on_host(self, device_type, dtype=None, enabled=True, cache_enabled=None):
        if device_type == "cuda":
            device_type, dtype = "cpu", dtype or torch.float16
        init(self, device_type, dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)

    autocast.__init__ = on_host

    def for_cpu(function):
        """The same question about the CPU where it is about the GPU; without an argument it is."""

        @functools.wraps(function)
        def asked(device_type="cuda", *more):
            return function("cpu" if device_type == "cuda" else device_type, *more)

        return asked

    for name in ("is_autocast_enabled", "get_autocast_dtype", "set_autocast_enabled", "set_autocast_dtype"):
        setattr(torch, name, for_cpu(getattr(torch, name)))
    torch.get_autocast_gpu_dtype = torch.get_autocast_dtype


def _mark_foreign(torch):
    """Other libraries' memory is the host's; these calls the mode is not asked about."""

    def marking(function):

        @functools.wraps(function)
        def marked(*arguments, **named):
            result = function(*arguments, **named)
            mark(result)
            return result

        return marked

    for name in ("from_numpy", "frombuffer", "from_dlpack"):
        setattr(torch, name, marking(getattr(torch, name)))
    torch.Tensor.record_stream = lambda self, stream: None


def _place_saved(torch):
    """`torch.save` and pickles note where tensors are said to be, and `torch.load` puts them there, or where `map_location` says."""

    def tag(storage):
        storage = getattr(storage, "_untyped_storage", storage)
        if storage.device.type == "cpu":
            return "cpu" if getattr(storage, MARK, False) else "cuda:0"

    def restore(storage, location):
        if kind_of(location) in ("cpu", "cuda"):
            setattr(storage, MARK, kind_of(location) == "cpu")
            return storage

    typed, cuda = torch.TypedStorage, torch.device("cuda", 0)
    real = typed.device.fget
    typed.device = property(lambda self: cuda if tag(self) == "cuda:0" else real(self))
    torch.serialization.register_package(0, tag, restore)  # before torch's own, 10 and on
    torch.UntypedStorage.cuda = lambda self, *_, **__: restore(self.clone(), "cuda")
    load = torch.load

    @functools.wraps(load)
    def load_on_host(f, map_location=None, *arguments, **named):
        place = map_location
        if callable(map_location):  # what it is given is on the host

            def place(storage, location):
                return map_location(restore(storage, "cpu"), location)

        return load(f, place, *arguments, **named)

    torch.load = load_on_host


def _generator_class(torch):

    class Generator(torch.Generator):
        """torch's; the one of the GPU is the CPU's."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls, "cpu" if kind_of(device) == "cuda" else device)

    return Generator


def _leave_uncompiled(torch):
    """`torch.compile` leaves its functions as they are: its tracer would see CPU tensors, and this mode in each of their calls. A program that
    sets the variable itself has its way."""
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    if "torch._dynamo" in sys.modules and os.environ["TORCHDYNAMO_DISABLE"] == "1":
        torch._dynamo.config.disable = True


def replace_functions(torch):
    """Everything of the above."""
    _replace_cuda(torch)
    _replace_accelerator(torch)
    _replace_autocast(torch)
    _place_saved(torch)
    _mark_foreign(torch)
    torch.Generator = _generator_class(torch)
    _leave_uncompiled(torch)
