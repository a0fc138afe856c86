from .helpers import double
