"""python -m tilewise analyze: what a kernel of a file does to memory, counted access by access."""

import inspect
import re
import sys

HELP = """usage: tilewise analyze FILE[:KERNEL] --grid=GRID ARGUMENT... [--ceilings=GB/s,GFLOPS] [--html=PAGE]
                        [--gpu=NAME] [--num-warps=N]

Runs the kernel line by line and counts the bytes it loads and stores, how many of them are distinct, what sectors carry along unused, and the
operations; says what bounds it. Use small sizes: the ratios stay the same. Needs Python with numpy.

  ARGUMENT          in order, or NAME=...: a number, fp32[64,64] for a random array (fp16 fp32 fp64 i8 i16 i32 i64 u8), or a .npy file
  --grid            one to three numbers or expressions of the arguments, as in --grid='cdiv(n, BLOCK)'
  --ceilings        of the machine to compare with (default: this one, measured once and kept; see tilewise info --measure)
  --gpu             also compile it for a GPU, which need not be present: h200, a100, ... or a compute capability such as 90. Prints registers (by
                    NVIDIA's ptxas), shared memory, occupancy and what limits it, tensor core instructions, and what programs share in L2
  --num-warps       warps of a program, for --gpu (default 4)
  --html            also write one page with the roofline and a picture of which program touches what

Exit codes: 0 success, 1 error in the kernel or its arguments, 2 wrong usage.

example: tilewise analyze kernels/vector_add.py --grid='cdiv(n, BLOCK)' 'fp32[100]' 'fp32[100]' 'fp32[100]' n=100 BLOCK=64"""

_TYPES = {"fp16": "float16", "fp32": "float32", "fp64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8"}


class Wrong(Exception):
    """What is wrong with the command."""

    code = 1


class WrongUsage(Wrong):
    """An option that is none, or one that is missing."""

    code = 2


def _at_a_line(array):
    """The same at a multiple of 64 bytes, as tensors are: where numpy puts it would show as bytes that come along unused. Its memory ends where it ends, so that
    an access behind it is found."""
    import mmap

    import numpy
    if array.nbytes == 0:
        return array
    placed = numpy.frombuffer(mmap.mmap(-1, array.nbytes), array.dtype).reshape(array.shape)
    placed[...] = array
    return placed


def _value(text):
    import numpy
    array = re.fullmatch(r"(\w+)\[([\d, ]*)\]", text)
    if array and array[1] in _TYPES:
        shape = [int(extent) for extent in array[2].split(",") if extent.strip()]
        random = numpy.random.default_rng(0)
        return _at_a_line(random.standard_normal(shape).astype(_TYPES[array[1]]) if array[1].startswith("fp") else numpy.zeros(shape, _TYPES[array[1]]))
    if text.endswith(".npy"):
        return numpy.load(text)
    if text in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[text]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    if re.fullmatch(r"'.*'|\".*\"", text):
        return text[1:-1]
    raise Wrong(f"'{text}' is no argument: a number, fp32[64,64] or a file .npy is expected")


def _kernel(text):
    import pathlib
    from .learn.source import Found, import_file
    from .runtime.callable import JITCallable
    path, _, name = text.rpartition(":") if ":" in text and not pathlib.Path(text).exists() else (text, "", "")
    if not pathlib.Path(path).is_file():
        raise Wrong(f"there is no file '{path}'")
    try:
        module = import_file(pathlib.Path(path))
    except Found as found:
        raise Wrong(str(found)) from None
    kernels = {key: value for key, value in vars(module).items() if isinstance(value, JITCallable)}
    if not name and len(kernels) == 1:
        return next(iter(kernels.values()))
    if name not in kernels:
        raise Wrong(f"which kernel? '{path}' has {', '.join(kernels) or 'none'}: write {path}:NAME")
    return kernels[name]


def _grid(text, names):
    from .host import cdiv
    try:
        found = eval(text, {"__builtins__": {}, "cdiv": cdiv, "min": min, "max": max}, names)  # noqa: S307 (the user's own command line)
        return tuple(int(extent) for extent in (found if isinstance(found, tuple) else (found,)))
    except Exception as error:
        raise Wrong(f"--grid='{text}' cannot be computed: {error}") from None


def _run(words):
    from . import _native
    from .analysis import Analysis
    from .learn.source import line_in
    from .runtime.errors import InterpreterError
    from .trace import trace
    options = {key: None for key in ("grid", "ceilings", "html", "gpu", "num_warps")}
    rest = []
    for word in words:
        option = re.fullmatch(r"--([\w-]+)=(.*)", word)
        if option and option[1].replace("-", "_") in options:
            options[option[1].replace("-", "_")] = option[2]
        elif word.startswith("--"):
            raise WrongUsage(f"unknown option '{word}'; try 'tilewise analyze --help'")
        else:
            rest.append(word)
    if not rest:
        raise WrongUsage("a kernel file is missing")
    kernel = _kernel(rest[0])
    if options["grid"] is None:
        raise WrongUsage("--grid is missing")
    given, named = [], {}
    for word in rest[1:]:
        pair = re.fullmatch(r"([A-Za-z_]\w*)=(.*)", word)
        if pair:
            named[pair[1]] = _value(pair[2])
        else:
            given.append(_value(word))
    try:
        bound = inspect.signature(kernel.fn).bind(*given, **named)
    except TypeError as error:
        raise Wrong(f"{kernel.__name__}: {error}") from None
    bound.apply_defaults()
    machine = _native.ceilings("cpu") if options["ceilings"] is None else tuple(map(float, options["ceilings"].split(",")))
    taken = _gpu(kernel, options, given, named) if options["gpu"] else None
    try:
        found = Analysis(kernel.__name__, trace(kernel, _grid(options["grid"], bound.arguments), *given, **named))
    except InterpreterError as error:
        file = kernel.fn.__code__.co_filename
        line = line_in(error.__cause__ or error, file) or line_in(error, file)
        message = re.sub(r"^<interpreter>:\d+:\d+: error: ", "", str(error.__cause__ or error))
        raise Wrong(f"{file}:{line}: {message}") from None
    bandwidth, peak = machine
    limit, least = found.against(bandwidth, peak)
    print(found)
    print(f"  at {bandwidth:.0f} GB/s and {peak:.0f} GFLOPS: bound by {limit}, at least {least * 1e3:.3g} µs")
    if taken:
        print(taken)
        print(_shared(found.trace, taken, options["gpu"]), end="")
    if options["html"]:
        with open(options["html"], "w", encoding="utf-8") as file:
            file.write(found.html(bandwidth, peak))


def _gpu(kernel, options, given, named):
    from .analysis_gpu import parse_gpu, resources
    from .errors import TritonError
    warps = options["num_warps"] or "4"
    if warps not in ("1", "2", "4", "8", "16", "32"):
        raise WrongUsage(f"--num-warps is a power of two up to 32, not '{warps}'")
    capability, _ = parse_gpu(options["gpu"])
    try:
        return resources(kernel, capability, given, named, int(warps))
    except TritonError as error:
        raise Wrong(f"{kernel.__name__} does not compile for sm_{capability}: {error}") from None


def _shared(seen, taken, gpu):
    """The line of what programs that run together share; empty where the GPU's size is not known or nothing is loaded."""
    from .analysis import _text
    from .analysis_gpu import parse_gpu, waves
    _, multiprocessors = parse_gpu(gpu)
    if multiprocessors is None or not seen.sectors:
        return ""
    at_once = multiprocessors * taken.occupancy()[1]
    count, together, alone = waves(seen, at_once)
    return (f"    L2: {at_once} programs run at once, in {count} {'wave' if count == 1 else 'waves'}; sharing within a wave they load {_text(together)} from memory instead of {_text(alone)}\n")


def main(words):
    if not words or "--help" in words or "-h" in words:
        print(HELP)
        return 0 if words else 2
    try:
        _run(words)
    except (Wrong, OSError, ValueError) as error:
        print(f"tilewise analyze: {error}", file=sys.stderr)
        return getattr(error, "code", 1)
    return 0
