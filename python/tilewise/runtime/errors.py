"""Errors of launches and of tuning."""

from ..errors import TritonError


class _Told(TritonError):
    """An error with a text, under a heading."""

    heading = ""

    def __init__(self, error_message=None):
        super().__init__(error_message)
        self.error_message = error_message

    def __str__(self):
        return f"{self.heading}{self.error_message or ''}"


class InterpreterError(_Told):
    """A kernel failed in interpreter mode."""


class PTXASError(_Told):
    """NVIDIA's assembler failed."""

    heading = "PTXAS error: "


class AutotunerError(_Told):
    """No configuration of an autotuner could be run."""

    heading = "Autotuner error: "


class OutOfResources(TritonError):
    """A kernel wants more of something than the device has."""

    def __init__(self, required, limit, name):
        super().__init__(required, limit, name)
        self.required = required
        self.limit = limit
        self.name = name

    def __str__(self):
        return (f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
                "Reducing block sizes or `num_stages` may help.")
