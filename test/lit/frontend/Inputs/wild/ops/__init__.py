# A package as repositories have them: a folder of kernels.
from .helpers import double
