# A kernel whose module-level values need packages, tries and functions.
import importlib.util

import triton
import triton.language as tl
from package import shim
from package.loose import scales
from triton.language import core


def find(name):
    for place in ("triton.language.nowhere", "triton.language.extra.libdevice"):
        if spec := importlib.util.find_spec(place):
            module = importlib.util.module_from_spec(spec)
            assert spec.loader is not None
            spec.loader.exec_module(module)
            return getattr(module, name)
    raise ImportError(name)


root = find("rsqrt")

OFFSET = tl.constexpr(0.75) if shim.HAS_TRITON else 0.75

# The device decides at run time.
try:
    math = shim.get()
except ImportError:
    import triton.language as fallback

    math = fallback.math

try:
    int_type = triton.runtime.jit.constexpr_function(core.get_int_dtype)
except Exception:
    int_type = core.get_int_dtype


def text_of(count):
    line = "mov.{kind:s} ${0}, {{{1!r}}};"
    return " ".join(line.format(i, i + count, kind="b32") for i in range(count))


TEXT = tl.constexpr(text_of(2))


@triton.jit
def k(x, y):
    tl.static_print(TEXT, "{:>5}|{:.2f}|{}".format(7, 1.5, tl.float16))
    v = root(tl.load(x)) + math.exp(tl.load(x)) * scales.STEP + OFFSET
    tl.store(y, v.to(int_type(bitwidth=32, signed=False), bitcast=True))
