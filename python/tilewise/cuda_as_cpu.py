"""TILEWISE_CUDA_AS_CPU: programs written for a GPU run without one. `cuda` is a second place in the host's memory.

One mode of torch's (a TorchFunctionMode) sees every call of torch. A device "cuda" among its arguments becomes the CPU; where a tensor is said
to be is kept at its storage:

    x = torch.randn(4)              # the CPU: its storage is marked
    y = x.cuda()                    # a copy, as on a GPU; no mark, so y.device is cuda:0 and y.is_cuda is True
    z = y + 1                       # made from y: no mark
    w = z.cpu()                     # a copy, marked

So only what is made for the CPU is marked, and what nobody saw being made, as gradients are, counts as the GPU's. torch.cuda's own functions
are host_cuda.py's. Tensors stay plain CPU tensors: kernels run on the host's engine, everything else in torch's CPU code."""

import contextlib
import functools
import os
import re
import sys
import threading
import types

from . import _native, engines, host_cuda, host_graphs

_MARK = "tilewise_on_host"
_CUDA_NAME = re.compile(r"cuda(:\d+)?$")


def _kind(device):
    """A device as programs name it -> "cuda", "cpu" or another kind."""
    if isinstance(device, str):
        return device.partition(":")[0]
    return "cuda" if isinstance(device, int) else device.type


def _on_host(tensor):
    """Whether the tensor is said to be on the CPU, rather than on the GPU."""
    try:
        return getattr(tensor.untyped_storage(), _MARK, False)
    except (NotImplementedError, RuntimeError):  # it has no storage
        return False


def _mark(tensor, on_host=True):
    with contextlib.suppress(NotImplementedError, RuntimeError):
        setattr(tensor.untyped_storage(), _MARK, on_host)


def _address(tensor):
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return None


def _tensors(values, kind):
    """The tensors among arguments or results, one list or tuple deep."""
    for value in values:
        if isinstance(value, kind):
            yield value
        elif isinstance(value, (list, tuple)):
            for inner in value:
                if isinstance(inner, kind):
                    yield inner


def _make_mode(torch):
    from torch.overrides import TorchFunctionMode
    tensor = torch.Tensor
    host = torch.device("cpu")
    cuda = torch.device("cuda", 0)
    aliasing = {torch.as_tensor, torch.asarray}
    constructors = torch.utils._device._device_constructors()

    def device_of(self):
        real = tensor.device.__get__(self)
        return cuda if real.type == "cpu" and not _on_host(self) else real

    def make_device(*arguments, **named):
        if len(arguments) == 1 and isinstance(arguments[0], int):
            return torch.device("cuda", *arguments)
        return torch.device(*arguments, **named)

    parse = torch._C._nn._parse_to

    def parse_to(*arguments, **named):
        """What Module.to reads of its arguments, to hand it to its tensors' `to`: the device as it was named."""
        first = arguments[0] if arguments else named.get("tensor", named.get("device"))
        if isinstance(first, int):
            first = torch.device("cuda", first)
            arguments, named = ((first, *arguments[1:]), named) if arguments else (arguments, {**named, "device": first})
        device, *more = parse(*arguments, **named)
        return (device_of(first) if isinstance(first, tensor) else device, *more)

    # What is answered without a call of torch's, or with another one.
    answers = {
        tensor.device.__get__: device_of,
        tensor.is_cuda.__get__: lambda self: device_of(self).type == "cuda",
        tensor.is_cpu.__get__: lambda self: device_of(self).type == "cpu",
        tensor.get_device: lambda self: -1 if (index := device_of(self).index) is None else index,
        torch.get_device: lambda self: -1 if (index := device_of(self).index) is None else index,
        tensor.cuda: lambda self, device=None, non_blocking=False, **named: placed(tensor.to, "cuda", (self, host), named),
        tensor.cpu: lambda self, **named: placed(tensor.to, "cpu", (self, host), named),
        tensor.pin_memory: lambda self, *_: self,
        tensor.type_as: lambda self, other: placed(tensor.to, device_of(other).type, (self, host, other.dtype), {}),
        torch.device: make_device,
        parse: parse_to,
    }

    def histc(self, *arguments, **named):
        if self.is_floating_point():
            return torch.histc(self, *arguments, **named)
        return torch.histc(self.double(), *arguments, **named).to(self.dtype)

    def widened(product):
        """A product whose result is wider than its operands, computed in its result's type."""

        def computed(*arguments, out_dtype=None, **named):
            if out_dtype is None:
                return product(*arguments, **named)
            return product(*(value.to(out_dtype) if isinstance(value, tensor) else value for value in arguments), **named)

        return computed

    # What torch has for a GPU only: ints that are counted, products with `out_dtype`.
    gpu_only = {torch.histc: histc, tensor.histc: histc,
                **{product: widened(product) for product in (torch.mm, torch.bmm, torch.addmm, torch.baddbmm)}}

    def placed(func, kind, args, kwargs):
        """A call that says where its results are to be."""
        results = func(*args, **kwargs)
        if kind not in ("cuda", "cpu"):
            return results

        def place(result):
            if not isinstance(result, tensor) or tensor.device.__get__(result).type != "cpu":
                return result
            sources = list(_tensors((*args, *kwargs.values()), tensor))
            foreign = func in aliasing and not sources and kind == "cuda"  # it may be numpy's memory
            if foreign or any(_address(result) == _address(source) and _on_host(source) != (kind == "cpu") for source in sources):
                result = result.clone()  # the other device's copy
            if kind == "cpu" or _on_host(result):
                _mark(result, kind == "cpu")  # a program's own kernel of the operator was told the CPU, and made its result there
            return result

        if isinstance(results, (list, tuple)) and type(results) in (list, tuple):
            return type(results)(map(place, results))
        return place(results)

    class CudaOnHost(TorchFunctionMode):
        """Sees every call of torch in the threads it is entered in."""

        def __torch_function__(self, func, types, args=(), kwargs=None):  # noqa: A002 (torch's name)
            kwargs = kwargs or {}
            answer = answers.get(func)
            if answer is not None:
                return answer(*args, **kwargs)
            func = gpu_only.get(func, func)
            if kwargs.get("pin_memory"):
                kwargs = {**kwargs, "pin_memory": False}
            kind = None
            device = kwargs.get("device")
            if device is not None:
                kind = _kind(device)
                kwargs = {**kwargs, "device": host} if kind == "cuda" else kwargs
            for i, value in enumerate(args):
                if isinstance(value, torch.device) or type(value) is str and (_CUDA_NAME.match(value) or func is tensor.to):
                    kind = _kind(value)
                    args = (*args[:i], host, *args[i + 1:]) if kind == "cuda" else args
                elif func is tensor.to and i == 1 and type(value) is int:
                    kind, args = "cuda", (*args[:i], host, *args[i + 1:])
                elif func is tensor.to and i == 1 and isinstance(value, tensor):
                    kind = device_of(value).type
            if kind is None and func in constructors:
                current = torch.utils._device.CURRENT_DEVICE
                kind = "cpu" if current is None else current.type
            if kind is not None:
                return placed(func, kind, args, kwargs)
            results = func(*args, **kwargs)
            if isinstance(results, tensor) or isinstance(results, (list, tuple)):
                sources = list(_tensors((*args, *kwargs.values()), tensor))
                if all(map(_on_host, sources)):
                    for result in _tensors((results,), tensor):
                        _mark(result)
            return results

    CudaOnHost.__torch_function__ = _native.shield(CudaOnHost.__torch_function__)
    return CudaOnHost()


def _replace_cuda(torch):
    """torch.cuda's functions and classes, there and wherever its submodules have the same ones."""
    modules = [module for name, module in list(sys.modules.items())
               if name.startswith("torch.cuda") and isinstance(module, types.ModuleType)]
    for name, value in host_cuda.names().items():
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
    host_graphs.CUDAGraph.on_host = staticmethod(_on_host)
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
        return torch.cuda if device is None or _kind(device) == "cuda" else module_of(device)

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
            _mark(result)
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
            return "cpu" if getattr(storage, _MARK, False) else "cuda:0"

    def restore(storage, location):
        if _kind(location) in ("cpu", "cuda"):
            setattr(storage, _MARK, _kind(location) == "cpu")
            return storage

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


def _enter_everywhere(torch, mode):
    """In this thread, in those started from now on, and in what autograd calls back."""
    mode.__enter__()
    start = threading.Thread.start

    @functools.wraps(start)
    def start_with_mode(self):
        run = self.run

        def run_with_mode():
            with mode:
                run()

        self.run = run_with_mode
        start(self)

    threading.Thread.start = start_with_mode

    def calls_back(function):
        """A function that torch calls, or that calls the program's, while the mode is off: during the calls that the mode is asked about."""

        @functools.wraps(function)
        def with_mode(*arguments, **named):
            with contextlib.nullcontext() if mode in torch.overrides._get_current_function_mode_stack() else mode:
                return function(*arguments, **named)

        return with_mode

    for module in (torch.autograd, torch.autograd.graph):
        module._engine_run_backward = calls_back(torch.autograd.graph._engine_run_backward)
    hooks = torch.autograd.graph.saved_tensors_hooks
    init = hooks.__init__
    hooks.__init__ = lambda self, pack_hook, unpack_hook: init(self, calls_back(pack_hook), calls_back(unpack_hook))
    impl = torch.library.Library.impl

    @functools.wraps(impl)
    def impl_on_host(self, op_name, fn, dispatch_key="", *arguments, **named):
        # An operator's kernel for the GPU is called with tensors of the CPU; torch's own operators have one for each.
        module = getattr(fn, "__module__", None) or ""
        if "CUDA" in dispatch_key and (not module.startswith("torch.") or module == "torch._library.custom_ops"):
            dispatch_key, named = dispatch_key.replace("CUDA", "CPU"), {**named, "allow_override": True}
        if dispatch_key != "Meta" and isinstance(fn, types.FunctionType) and fn is not torch.library.fallthrough_kernel:
            fn = calls_back(fn)
        return impl(self, op_name, fn, dispatch_key, *arguments, **named)

    torch.library.Library.impl = impl_on_host
    context = torch.utils._device.DeviceContext
    inner = context.__torch_function__

    def on_host(self, func, types, args=(), kwargs=None):  # noqa: A002 (torch's name)
        # A default device is what the mode makes of it: it has been asked, or it comes next.
        asked = mode not in torch.overrides._get_current_function_mode_stack()
        return func(*args, **(kwargs or {})) if asked and self.device.type == "cuda" else inner(self, func, types, args, kwargs)

    context.__torch_function__ = on_host


def _leave_uncompiled(torch):
    """`torch.compile` leaves its functions as they are: its tracer would see CPU tensors, and this mode in each of their calls. A program that
    sets the variable itself has its way."""
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
    if "torch._dynamo" in sys.modules and os.environ["TORCHDYNAMO_DISABLE"] == "1":
        torch._dynamo.config.disable = True


def _generator_class(torch):

    class Generator(torch.Generator):
        """torch's; the one of the GPU is the CPU's."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls, "cpu" if _kind(device) == "cuda" else device)

    return Generator


def install(torch):
    """Lets `cuda` mean the CPU in this process."""
    if engines.cuda_is_cpu:
        return
    import torch.utils._device
    engines.cuda_is_cpu = True
    _native.keep_to_host()
    _replace_cuda(torch)
    _replace_accelerator(torch)
    _replace_autocast(torch)
    _place_saved(torch)
    _mark_foreign(torch)
    torch.Generator = _generator_class(torch)
    _leave_uncompiled(torch)
    _enter_everywhere(torch, _make_mode(torch))
