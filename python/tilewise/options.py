"""What a launch may ask of the compiler beside its arguments."""

import dataclasses

from . import knobs
from .errors import UnknownKeyword, WrongOption


@dataclasses.dataclass(frozen=True)
class Options:
    """Upstream's option keywords, and `checked`: whether accesses are checked against the memory of the arguments. Those that only an NVIDIA
    or AMD back end of upstream reads are accepted and have no effect."""
    num_warps: int = 4
    num_stages: int = 3
    num_ctas: int = 1
    enable_fp_fusion: bool = True
    debug: bool = False
    checked: bool = False
    sanitize_overflow: bool = True
    maxnreg: int = None
    cluster_dims: tuple = (1, 1, 1)
    ptx_version: int = None
    ptx_options: str = None
    ir_override: str = None
    enable_reflect_ftz: bool = True
    launch_cooperative_grid: bool = False
    launch_cluster: bool = False
    launch_pdl: bool = False
    clc: bool = False
    supported_fp8_dtypes: tuple = ("fp8e5", "fp8e4b15", "fp8e4nv", "fp8e4b8", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: tuple = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: dict = None
    backend_name: str = "tilewise"
    arch: str = None
    min_shared_mem: int = 0
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    instrumentation_mode: str = ""
    warp_size: int = 32

    def __post_init__(self):
        for name in ("num_warps", "num_stages", "num_ctas"):
            value = getattr(self, name)
            if not hasattr(value, "__index__") or not 0 <= value < 2**31:
                raise WrongOption(f"{name} must be an integer of at least 0, got {value!r}")
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise WrongOption(f"num_warps must be a power of 2, got {self.num_warps!r}")
        if self.maxnreg is not None and not (hasattr(self.maxnreg, "__index__") and 16 <= self.maxnreg <= 255):
            raise WrongOption(f"maxnreg must be an integer from 16 to 255, got {self.maxnreg!r}")

    @classmethod
    def take(cls, named, parameters, kernel=None):
        """Removes the options from the named arguments; one that is also a parameter is both."""
        if not named:
            return _default_options()
        # `checked` is not upstream's: to a kernel with a parameter of that name it means nothing else.
        taken = {name: named[name] for name in named if name in _FIELDS and not (name == "checked" and name in parameters)}
        for name in named:
            if name not in _FIELDS and parameters and name not in parameters:
                for gone in ("device_type", "device", "stream"):
                    assert name != gone, f"{gone} option is deprecated; the current one is used"
                raise UnknownKeyword(name, [*parameters, *_FIELDS], kernel)
        for name in taken:
            if name not in parameters:
                del named[name]
        if not taken:
            return _default_options()
        given = {name: value for name, value in taken.items() if value is not None}
        try:
            return cls(**{"enable_fp_fusion": knobs.language.default_fp_fusion, **given})
        except WrongOption as wrong:
            raise WrongOption(f"kernel '{kernel}': {wrong}" if kernel else str(wrong)) from None

    @property
    def native(self):
        return (self.num_warps, self.num_stages, 0 if self.enable_fp_fusion else 1, 1 if self.debug else 0,
                1 if self.checked else 0, 1 if self.launch_cooperative_grid else 0, 0 if self.sanitize_overflow else 1,
                self.maxnreg or 0)


def are_parameters(names):
    """Whether some of a kernel's parameters are options, too, so that options follow from its arguments."""
    return not _FIELDS.isdisjoint(names)


_FIELDS = frozenset(field.name for field in dataclasses.fields(Options))
_DEFAULT, _DEFAULT_UNFUSED = Options(), Options(enable_fp_fusion=False)


def _default_options():
    return _DEFAULT if knobs.language.default_fp_fusion else _DEFAULT_UNFUSED
