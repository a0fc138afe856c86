"""Tilewise in Python: kernels in Triton's syntax, launched on numpy arrays and torch tensors; a drop-in for `triton`."""

from . import _native
from ._native import compile_counts, set_compile_hook, set_warnings
from .errors import IntegerOverflow, InternalError, LaunchError, TritonError

_native.set_errors(LaunchError, IntegerOverflow, InternalError)

from .redirect import VERSION as triton_version, install  # noqa: E402
from .engines import devices, engine, synchronize, version  # noqa: E402
from . import knobs, language  # noqa: E402
from .host import cdiv, next_power_of_2  # noqa: E402
from .kernel import Kernel, from_artifact, load  # noqa: E402
from .runtime import (  # noqa: E402
    Config, InterpreterError, JITFunction, KernelInterface, MockTensor, OutOfResources, TensorWrapper, autotune, heuristics,
    reinterpret)
from .runtime._allocation import set_allocator  # noqa: E402
from .runtime._async_compile import AsyncCompileMode, FutureKernel  # noqa: E402
from .runtime.jit import constexpr_function, jit  # noqa: E402
from .compiler import CompilationError, compile  # noqa: E402
from .language.core import _aggregate as aggregate, must_use_result  # noqa: E402
from .tool import get_cmake_dir  # noqa: E402
from . import backends, compiler, debug, runtime, testing, tools  # noqa: E402

_native.set_log(runtime.messages.tell)
if knobs.runtime.cuda_as_cpu:
    from . import cuda_as_cpu
    cuda_as_cpu.watch()

if knobs.runtime.profile:
    from . import child_profiles
    child_profiles.watch()

__version__ = version()


def __getattr__(name):
    if name == "_C":
        import importlib
        return importlib.import_module("._C", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__all__ = [
    "AsyncCompileMode", "CompilationError", "Config", "FutureKernel", "InternalError", "InterpreterError", "JITFunction", "Kernel",
    "KernelInterface", "LaunchError", "MockTensor", "OutOfResources", "TensorWrapper", "TritonError", "aggregate", "autotune", "backends",
    "cdiv", "compile", "compile_counts", "compiler", "constexpr_function", "debug", "devices", "engine", "from_artifact", "get_cmake_dir", "heuristics",
    "install", "jit", "knobs", "language", "load", "must_use_result", "next_power_of_2", "reinterpret", "runtime", "set_allocator",
    "set_compile_hook", "set_warnings", "synchronize", "testing", "tools",
]
