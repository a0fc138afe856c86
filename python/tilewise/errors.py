"""The kinds of failure: the kernel's (CompilationError), the launch's, and ours."""


class TritonError(Exception):
    """Every error that the compiler or the runtime raises."""


class LaunchError(TritonError, RuntimeError):
    """The launch is wrong: arguments, grid, device or memory; or an assertion in the kernel failed."""


class InternalError(TritonError):
    """A fault of Tilewise itself."""


class IntegerOverflow(LaunchError, OverflowError):
    """An integer argument that no type of the language holds. Upstream raises an OverflowError."""


class WrongOption(LaunchError, AssertionError):
    """An option of a launch has a value that it cannot have. Upstream raises an AssertionError."""


class UnknownKeyword(LaunchError, KeyError):
    """A launch names a parameter or option that there is none of. Upstream raises a KeyError."""

    def __init__(self, name, known, kernel=None):
        import difflib  # a third of a millisecond of every import
        near = difflib.get_close_matches(name, known, 1)
        super().__init__(name, known, kernel)
        self.message = (f"kernel '{kernel}': " if kernel else "") + f"Keyword argument {name} was specified but unrecognised" + (f"; did you mean '{near[0]}'?" if near else "")

    def __str__(self):
        return self.message
