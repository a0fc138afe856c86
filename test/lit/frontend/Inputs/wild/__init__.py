from .compat import tl, triton
