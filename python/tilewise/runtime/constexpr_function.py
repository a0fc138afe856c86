"""Functions that run in Python while a kernel is compiled, on compile-time values."""

import functools

from ..language.types import unwrap


class ConstexprFunction:
    """A Python function that kernels may call on compile-time values, and the host as usual."""

    def __init__(self, fn, instance=None):
        functools.update_wrapper(self, fn)
        self.fn = fn
        self._instance = instance

    def __get__(self, instance, owner=None):
        return self if instance is None else ConstexprFunction(self.fn, instance)

    def __call__(self, *arguments, _semantic=None, **named):
        arguments = [unwrap(argument) for argument in arguments]
        if self._instance is not None:
            arguments.insert(0, self._instance)
        return self.fn(*arguments, **{name: unwrap(value) for name, value in named.items()})

    def __repr__(self):
        return f"<constexpr function {self.__qualname__}>"

    @property
    def cache_key(self):
        import hashlib
        import inspect
        try:
            text = inspect.getsource(self.fn)
        except (OSError, TypeError):
            text = repr(self.fn.__code__.co_code)
        return hashlib.sha256(text.encode()).hexdigest()


def constexpr_function(fn):
    """Marks a function that kernels call while they are compiled: it gets plain Python values and may return any."""
    return ConstexprFunction(fn)
