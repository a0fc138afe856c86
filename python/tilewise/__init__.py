"""Tilewise in Python: kernels in Triton's syntax, launched on numpy arrays and torch tensors."""

from . import language
from ._native import CompilationError, InternalError, LaunchError
from .engines import devices, engine, synchronize, version
from .host import cdiv, next_power_of_2
from .kernel import Kernel, load
from .live import JITFunction, jit

__version__ = version()

__all__ = [
    "CompilationError", "InternalError", "JITFunction", "Kernel", "LaunchError", "cdiv", "devices", "engine", "jit",
    "language", "load", "next_power_of_2", "synchronize",
]
