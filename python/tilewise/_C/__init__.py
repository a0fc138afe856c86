"""`triton._C`: upstream's native modules, for programs that look into them."""

from . import libtriton  # noqa: F401
