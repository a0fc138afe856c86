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

    # What programs ask that make upstream's IR by themselves; see compiler/accesses.py for what they get.

    def load_dialects(self, context):
        """Contexts are not needed."""

    def get_codegen_implementation(self, options):
        return {}

    def get_module_map(self):
        return {}

    @staticmethod
    def parse_attr(known):
        return [["tt.divisibility", 16]] if "D" in known else []

    def hash(self):
        from ..engines import version
        return f"{version()}-{self.target}"
