"""The kinds of failure: the kernel's (CompilationError), the launch's, and ours."""


class TritonError(Exception):
    """Every error that the compiler or the runtime raises."""


class LaunchError(TritonError):
    """The launch is wrong: arguments, grid, device or memory."""


class InternalError(TritonError):
    """A fault of Tilewise itself."""
