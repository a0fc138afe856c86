"""`lazy`: an attribute that is computed when it is first asked for."""


class lazy:
    """Like functools.cached_property, which up to Python 3.11 holds a lock of all instances while it computes: a child that is forked meanwhile would
    wait for it for ever. Two threads may compute the same value; both are as good."""

    def __init__(self, compute):
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner, name):
        self._name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
