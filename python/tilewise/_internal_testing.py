"""`triton._internal_testing`: what upstream's own tests share, so that they can be run against Tilewise."""

import contextlib
import contextvars
import dataclasses
import multiprocessing
import os
import re
import sys
import tempfile

import numpy as np
import pytest
import torch
from numpy.random import RandomState

from . import knobs, language as tl
from ._utils import type_canonicalisation_dict
from .runtime.driver import driver
from .runtime.jit import TensorWrapper, reinterpret

int_dtypes = ["int8", "int16", "int32", "int64"]
uint_dtypes = ["uint8", "uint16", "uint32", "uint64"]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = float_dtypes + ["bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = dtypes + ["bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool"] + int_dtypes + ["uint8"] + float_dtypes + ["bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})

_warmup = contextvars.ContextVar("tilewise_compile_warmup", default=False)


def is_interpreter():
    return os.environ.get("TRITON_INTERPRET", "0") == "1"


def is_compile_warmup():
    return _warmup.get()


def random_int(low, high, *, warmup_value=None, **named):
    return int(torch.randint(low, high, size=(), **named).item())


def random_float(*, warmup_value=0.5, **named):
    return float(torch.rand((), **named).item())


def get_current_target():
    return None if is_interpreter() else driver.active.get_current_target()


def get_arch():
    """The machine's name for its kind, which older releases ask for; empty in interpreter mode."""
    target = get_current_target()
    return "" if target is None else str(target.arch)


def is_cuda():
    target = get_current_target()
    return target is not None and target.backend == "cuda"


def _capability(*wanted):
    return is_cuda() and torch.cuda.get_device_capability()[0] in wanted


def is_ampere_or_newer():
    return is_cuda() and torch.cuda.get_device_capability()[0] >= 8


def is_hopper_or_newer():
    return is_cuda() and torch.cuda.get_device_capability()[0] >= 9


def is_hopper():
    return _capability(9)


def is_blackwell():
    return _capability(10, 11)


def is_sm12x():
    return _capability(12)


def is_blackwell_ultra():
    return is_cuda() and torch.cuda.get_device_capability()[:2] == (10, 3)


def is_rubin():
    return is_cuda() and torch.cuda.get_device_capability()[:2] == (10, 7)


def _never():
    return False


# There is no AMD and no Intel back end.
is_hip = is_xpu = is_hip_cdna = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip_cdna3_or_newer = _never
is_hip_rdna = is_hip_rdna3 = is_hip_rdna4 = is_hip_rdna4m = is_hip_gfx1250 = is_hip_gfx11 = is_hip_gfx12 = _never


def get_hip_lds_size():
    return 65536


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random numbers of a type; integers are never 0, so that they can be divisors, and float8 comes as its bytes."""
    shape = (shape,) if isinstance(shape, int) else shape
    rs = rs or RandomState(seed=17)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        x = rs.randint(low, high, shape, dtype=dtype_str)
        x[x == 0] = 1
        return x
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        # float32 numbers that bfloat16 holds exactly.
        return (rs.normal(0, 1, shape).astype("float32").view("uint32") & np.uint32(0xFFFF0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"Unknown dtype {dtype_str}")


def to_triton(x, device, dst_type=None):
    """An array as a kernel argument; `dst_type` for types that numpy lacks."""
    name = x.dtype.name
    if name in uint_dtypes:
        return reinterpret(torch.tensor(x.astype(name.lstrip("u")), device=device), getattr(tl, name))
    if dst_type and "float8" in dst_type:
        return reinterpret(torch.tensor(x, device=device), getattr(tl, dst_type))
    tensor = torch.tensor(x, device=device)
    return tensor.bfloat16() if name == "float32" and dst_type == "bfloat16" else tensor


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(torch_dtype_name(x.dtype))
    if isinstance(x, torch.Tensor):
        return x.cpu().float().numpy() if x.dtype is torch.bfloat16 else x.cpu().numpy()
    raise ValueError(f"Not a triton-compatible tensor: {x}")


def str_to_triton_dtype(name):
    return tl.str_to_ty(type_canonicalisation_dict[name], None)


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name
    if isinstance(dtype, torch.dtype):
        return re.match(r"^torch\.(\w+)$", str(dtype))[1]
    raise TypeError(f"not a triton or torch dtype: {type(dtype)}")


def unwrap_tensor(tensor):
    return tensor.base if isinstance(tensor, TensorWrapper) else tensor


def supports_tma(byval_only=False):
    """Descriptors are part of the language on every engine."""
    return True


def supports_ws():
    return True


def supports_clc():
    return False


def tma_skip_msg(byval_only=False):
    return "tensor descriptors are not supported here"


requires_tma = pytest.mark.skipif(not supports_tma(), reason=tma_skip_msg())


def default_alloc_fn(size, align, _):
    return torch.empty(size, dtype=torch.int8, device="cuda" if is_cuda() else "cpu")


@dataclasses.dataclass
class ProcessResult:
    """How a function ended that ran in a process of its own, and what that process wrote to stderr."""
    exc: BaseException
    driver_stderr_output: str


def _child(function, arguments, named, env, stderr_file, pipe):
    from . import redirect
    redirect.install()
    os.environ.update(env or {})
    with open(stderr_file, "w+b") as file:
        os.dup2(file.fileno(), 2)
        error = None
        try:
            function(*arguments, **named)
        except Exception as caught:  # noqa: BLE001 (it is the result)
            error = caught
        sys.stderr.flush()
    pipe.send(error)


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    """Calls the function in a fresh process."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    with tempfile.TemporaryDirectory() as folder:
        stderr_file = os.path.join(folder, "err.log")
        process = context.Process(target=_child, args=(client_fn, args, kwargs or {}, env, stderr_file, sender))
        process.start()
        sender.close()
        try:
            error = receiver.recv()
        except EOFError:
            process.join()
            raise RuntimeError(f"child process exited with code {process.exitcode} without returning a result") from None
        process.join()
        with open(stderr_file) as file:
            return ProcessResult(error, file.read())


@contextlib.contextmanager
def use_process_pool(preload_module):
    yield None


def _fresh_knobs_impl(skipped_attr=None):
    """Two functions: one that gives every group of knobs its defaults, and one that brings the old ones back."""
    groups = {name: group for name, group in vars(knobs).items()
              if isinstance(group, knobs.base_knobs) and name not in (skipped_attr or ())}
    keys = {knob.key for group in groups.values() for knob in group.knob_descriptors.values()}
    environment = {key: os.environ.get(key) for key in keys}
    propagate = knobs.propagate_env

    def fresh():
        for name, group in groups.items():
            setattr(knobs, name, group.copy().reset())
        for key in keys:
            os.environ.pop(key, None)
        knobs.propagate_env = True
        return knobs

    def reset():
        for name, group in groups.items():
            setattr(knobs, name, group)
        for key, text in environment.items():
            if text is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = text
        knobs.propagate_env = propagate

    return fresh, reset
