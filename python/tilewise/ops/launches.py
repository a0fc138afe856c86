"""Launches of the library's kernels with the configs that are best on this device: shipped, remembered, or timed now."""

import functools
import time

from .. import _native, knobs
from ..compiler.errors import guarded, no_function
from ..engines import host_engine
from ..options import Options
from .arrays import kernel, on_gpu, side, type_name

_CUDA = 2

# While every launch is timed, as tilewise.ops.tune does: the seconds for each config, and the file that the results are added to.
timed_anew = None


@functools.cache
def _read(text):
    """"BLOCK: 64, num_warps: 4" -> its numbers by name."""
    return {name: int(value) for name, value in (item.split(": ") for item in text.split(", "))}


@functools.cache
def _options(warps, stages, fuses):
    return Options(num_warps=warps, num_stages=stages, enable_fp_fusion=fuses).native


def _is_captured():
    """Whether launches go into a graph of CUDA, and cannot be timed."""
    import torch
    return torch.cuda.is_current_stream_capturing()


@guarded(no_function)
def launch(file, name, like, sizes, arguments, plan, **constants):
    """Launches a kernel of a file of the library, where the array `like` is, with the best config for its type and these sizes.

    `plan(config)` gives the grid and the constants that follow from a config; a grid without programs launches nothing. What follows a slash in the name
    tells launches of a kernel apart that differ in more than sizes. Gives the config."""
    native = kernel(file, name.split("/")[0]).native
    engine = host_engine()
    gpu = like.device.index if on_gpu(like) else None
    fuses = knobs.language.default_fp_fusion

    def parts(config):
        grid, chosen = plan(config)
        return grid, {**constants, **chosen}, _options(config["num_warps"], config["num_stages"], fuses)

    def wait():
        if gpu is not None:
            _native.synchronize(f"cuda:{gpu}")

    def run(text, calls):
        try:
            grid, named, options = parts(_read(text))
            if not calls:
                native.prepare(engine, arguments, named, options)
                return 0.0
            wait()
            begin = time.perf_counter()
            for _ in range(calls):
                native.launch(engine, grid, arguments, named, options)
            wait()
            return time.perf_counter() - begin
        except Exception:  # A config that this device has no room for, say.
            return -1.0

    timer = run if all(sizes) and not (gpu is not None and _is_captured()) else None
    place = (engine, 0) if gpu is None else (_CUDA, gpu)
    config = _read(_native.library_config(name, *place, type_name(like), sizes, timer, timed_anew))
    grid, named, options = parts(config)
    if all(grid):
        native.launch(engine, grid, arguments, named, options)
    return config


def launch_rows(file, name, rows, arguments):
    """A kernel with a program per row of a matrix, which it walks in blocks.

    On a CPU what is summed up should stay in registers or the first cache from step to step: cross entropy of rows of 4096 takes 2.7 ms in blocks of 512 where
    it takes 8.5 ms in one."""
    count, columns = rows.shape
    launch(file, name, rows, (count, columns), arguments, lambda config: ((count,), {"BLOCK": side(columns, config["BLOCK"])}))
