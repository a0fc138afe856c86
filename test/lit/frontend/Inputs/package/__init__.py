from . import shim
