# Where the package takes the language from.
import importlib.util

HAS_TRITON = importlib.util.find_spec("triton") is not None
if HAS_TRITON:
    import triton
    import triton.language as tl
else:
    tl = None
    triton = None
