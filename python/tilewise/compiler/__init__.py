"""`triton.compiler`."""

from .compiler import ASTSource, CompiledKernel, IRSource, LazyDict, compile, get_cache_key, make_backend, max_shared_mem
from .errors import CompilationError

__all__ = ["ASTSource", "CompilationError", "CompiledKernel", "IRSource", "LazyDict", "compile", "get_cache_key", "make_backend",
           "max_shared_mem"]
