"""Calls of torch with a device "cuda": they are done on the CPU, and what they make is said to be on the GPU.

One mode of torch's (a TorchFunctionMode) sees every call of torch. A device "cuda" among its arguments becomes the CPU; where a tensor is said
to be is kept at its storage (places.py):

    x = torch.randn(4)              # the CPU: its storage is marked
    y = x.cuda()                    # a copy, as on a GPU; no mark, so y.device is cuda:0 and y.is_cuda is True
    z = y + 1                       # made from y: no mark
    w = z.cpu()                     # a copy, marked

So only what is made for the CPU is marked, and what nobody saw being made, as gradients are, counts as the GPU's."""

import re

from .. import _native
from .places import address_of, is_on_host, kind_of, mark

_CUDA_NAME = re.compile(r"cuda(:\d+)?$")


def _tensors(values, kind):
    """The tensors among arguments or results, one list or tuple deep."""
    for value in values:
        if isinstance(value, kind):
            yield value
        elif isinstance(value, (list, tuple)):
            for inner in value:
                if isinstance(inner, kind):
                    yield inner


def make_mode(torch):
    """The mode, to be entered (entering.py)."""
    from torch.overrides import TorchFunctionMode
    tensor = torch.Tensor
    host = torch.device("cpu")
    cuda = torch.device("cuda", 0)
    aliasing = {torch.as_tensor, torch.asarray}
    constructors = torch.utils._device._device_constructors()

    def device_of(self):
        real = tensor.device.__get__(self)
        return cuda if real.type == "cpu" and not is_on_host(self) else real

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
            if kind == "cuda" and isinstance(result, tensor) and hasattr(result, "fake_device"):
                result.fake_device = cuda  # one of a trace says by itself where it is
                return result
            if not isinstance(result, tensor) or tensor.device.__get__(result).type != "cpu":
                return result
            sources = list(_tensors((*args, *kwargs.values()), tensor))
            foreign = func in aliasing and not sources and kind == "cuda"  # it may be numpy's memory
            if foreign or any(address_of(result) == address_of(source) and is_on_host(source) != (kind == "cpu") for source in sources):
                result = result.clone()  # the other device's copy
            if kind == "cpu" or is_on_host(result):
                mark(result, kind == "cpu")  # a program's own kernel of the operator was told the CPU, and made its result there
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
                kind = kind_of(device)
                kwargs = {**kwargs, "device": host} if kind == "cuda" else kwargs
            for i, value in enumerate(args):
                if isinstance(value, torch.device) or type(value) is str and (_CUDA_NAME.match(value) or func is tensor.to):
                    kind = kind_of(value)
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
                if all(map(is_on_host, sources)):
                    for result in _tensors((results,), tensor):
                        mark(result)
            return results

    CudaOnHost.__torch_function__ = _native.shield(CudaOnHost.__torch_function__)
    return CudaOnHost()
