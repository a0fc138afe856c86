"""Launches on the threads that torch's own operators run on, in a process that launches on torch's tensors.

OpenMP's threads look for more work for milliseconds after an operator. Workers of a pool beside them would get the same cores only by turns: on two
cores a reduction of 8 MB between other operators took as long on two threads as on one."""

import ctypes
import functools
import os
import pathlib
import sys

from . import _native


def _functions(torch):
    """OpenMP's functions that run another one on all threads, and say which thread it is, and torch's that says how many those are; None where torch
    has other threads."""
    if "parallel backend: OpenMP" not in torch.__config__.parallel_info():
        return None
    library = pathlib.Path(torch.__file__).with_name("lib") / "libtorch_cpu.so"
    try:
        loaded = ctypes.CDLL(str(library))
        return [ctypes.cast(getattr(loaded, name), ctypes.c_void_p).value for name in ("GOMP_parallel", "omp_get_thread_num", "_ZN2at15get_num_threadsEv")]
    except (OSError, AttributeError):
        return None


@functools.cache
def share():
    """Called before the first launch on a tensor of torch. A number of threads that the user has set and that is not torch's keeps the pool."""
    torch = sys.modules["torch"]
    wanted = os.environ.get("TILEWISE_NUM_THREADS")
    found = _functions(torch) if wanted in (None, str(torch.get_num_threads())) else None
    if found:
        _native.use_openmp(*found)
