"""Functions that run in Python while a kernel is compiled, on compile-time values."""

from ..language.types import unwrap
from .callable import JITCallable


class ConstexprFunction(JITCallable):
    """A Python function that kernels may call on compile-time values, and the host as usual.

    Its text is read when a kernel that calls it is compiled: reading those of this package took a tenth of its import."""

    def __init__(self, fn):
        super().__init__(fn, reads_text=False)

    def __getattr__(self, name):
        if name not in self.TEXT or "fn" not in self.__dict__:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        self._read_text()
        return self.__dict__[name]

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *arguments, _semantic=None, **named):
        return self.fn(*(unwrap(argument) for argument in arguments), **{name: unwrap(value) for name, value in named.items()})

    def __repr__(self):
        return f"<constexpr function {self.__qualname__}>"


class BoundConstexprFunction:
    """A method that is such a function, with its object."""

    def __init__(self, instance, function):
        self.__self__ = instance
        self.__func__ = function
        self.__name__ = function.__name__

    @property
    def cache_key(self):
        return self.__func__.cache_key

    def __call__(self, *arguments, **named):
        return self.__func__.fn(self.__self__, *(unwrap(argument) for argument in arguments),
                                **{name: unwrap(value) for name, value in named.items()})


def constexpr_function(fn):
    """Marks a function that kernels call while they are compiled: it gets plain Python values and may return any.
    What is marked already stays what it is, as `tl.core.get_int_dtype`, which some programs mark themselves."""
    return fn if isinstance(fn, ConstexprFunction) else ConstexprFunction(fn)
