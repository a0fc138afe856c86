"""Separate array operations, as frameworks run them: each reads its inputs from memory and writes its result there."""


def bytes_of(value):
    if hasattr(value, "nbytes"):
        return value.nbytes
    return 0


class Separate:
    """Steps of (result, function, names of inputs), one operation each; `views` name parts of inputs, which moves nothing."""

    def __init__(self, *steps, views=None):
        self.steps, self.views = steps, views or {}

    def _begin(self, values):
        return {**values, **{name: part(**values) for name, part in self.views.items()}}

    def run(self, values):
        values = self._begin(values)
        for result, function, names in self.steps:
            values[result] = function(*(values[name] for name in names))
        return values[self.steps[-1][0]]

    def traffic(self, values):
        """(operations, bytes read and written)"""
        values, moved = self._begin(values), 0
        for result, function, names in self.steps:
            values[result] = function(*(values[name] for name in names))
            moved += sum(bytes_of(values[name]) for name in (*names, result))
        return len(self.steps), moved
