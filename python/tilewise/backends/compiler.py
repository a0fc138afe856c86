"""`triton.backends.compiler`: what a kernel is compiled for."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class GPUTarget:
    """A target: "reference", "cpu" or "cuda", its architecture (90 for sm_90), and how many lanes a warp has."""
    backend: str
    arch: object
    warp_size: int


class BaseBackend:
    """Makes options out of launch keywords for one target."""

    binary_ext = "tile"

    def __init__(self, target):
        self.target = target

    @staticmethod
    def supports_target(target):
        return target.backend in ("reference", "cpu", "cuda")

    def parse_options(self, options):
        from ..options import Options
        return Options(**{name: value for name, value in options.items() if name in Options.__dataclass_fields__})

    def hash(self):
        from ..engines import version
        return f"{version()}-{self.target}"
