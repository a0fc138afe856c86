# The root of a package: names one of its own parts.
from . import shim
