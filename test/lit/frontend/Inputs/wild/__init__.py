# A package as repositories have them: its root.
from .compat import tl, triton
