"""`triton.testing`: timing functions, plots of timings, and comparing results."""

import contextlib
import functools
import math
import time

from . import _native, knobs, runtime  # noqa: F401 (programs find triton.runtime here too)
from .engines import active_backend

_MODES = ("min", "max", "mean", "median", "all")


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        result = [_native.quantile(times, q) for q in quantiles]
        return result[0] if len(result) == 1 else result
    if return_mode == "all":
        return times
    import statistics
    return {"min": min, "max": max, "mean": statistics.fmean, "median": statistics.median}[return_mode](times)


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """How long `fn` takes, in milliseconds. `warmup` and `rep` are milliseconds, too: how long to run before and while measuring."""
    from .runtime.driver import driver
    assert return_mode in _MODES
    interface = driver.active.get_device_interface()
    if knobs.autotuning.quick:
        start = time.perf_counter()
        fn()
        interface.synchronize()
        return _summarize_statistics([max((time.perf_counter() - start) * 1e3, 1e-6)], quantiles, return_mode)
    if active_backend() != "cuda":

        def call():
            for tensor in grad_to_none or ():
                tensor.grad = None
            fn()

        return _summarize_statistics(_native.bench(call, warmup, rep, False), quantiles, return_mode)
    fn()
    interface.synchronize()
    cache = driver.active.get_empty_cache_for_benchmark()

    def timed():
        start, end = interface.Event(enable_timing=True), interface.Event(enable_timing=True)
        driver.active.clear_cache(cache)
        start.record()
        fn()
        end.record()
        return start, end

    def read(pairs):
        interface.synchronize()
        return [start.elapsed_time(end) for start, end in pairs]

    # Five calls tell how many fit into the given times.
    estimate = max(sum(read([timed() for _ in range(5)])) / 5, 1e-6)
    for _ in range(max(1, int(warmup / estimate))):
        fn()
    pairs = []
    for _ in range(max(1, int(rep / estimate))):
        for tensor in grad_to_none or ():
            tensor.grad = None
        pairs.append(timed())
    return _summarize_statistics(read(pairs), quantiles, return_mode)


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """As `do_bench`; on a GPU, of a recorded graph, so that the host's part does not count."""
    assert return_mode in _MODES
    if active_backend() != "cuda":
        return do_bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)
    import torch
    with torch.cuda.stream(torch.cuda.Stream()):
        fn()
        estimate = max(do_bench(fn, warmup=1, rep=1), 1e-6)
        repeats = max(1, int(rep / estimate))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(repeats):
                for tensor in grad_to_none or ():
                    tensor.grad = None
                fn()
        times = []
        for _ in range(10):
            start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            start.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(start.elapsed_time(end) / repeats)
    return _summarize_statistics(times, quantiles, return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """Raises AssertionError unless |x - y| <= atol + rtol * |y| everywhere; NaN equals NaN. By default atol is 1e-2, rtol 0."""
    import numpy as np

    def array(value):
        if hasattr(value, "detach"):
            value = value.detach().cpu()
            if str(value.dtype) == "torch.bfloat16" or "float8" in str(value.dtype):
                value = value.float()
            value = value.numpy()
        return np.asarray(value)

    x, y = array(x), array(y)
    atol = 1e-2 if atol is None else atol(x.dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(x.dtype) if callable(rtol) else rtol
    if x.size > 1 or y.size > 1:
        np.testing.assert_allclose(x, y, atol=atol, rtol=rtol, equal_nan=True, err_msg=err_msg)
    elif not np.allclose(x, y, atol=atol, rtol=rtol, equal_nan=True):
        raise AssertionError(f"{err_msg} {x} is not close to {y} (atol={atol}, rtol={rtol})")


class Benchmark:
    """What to measure: the values along x, the lines of the plot, and the arguments that stay."""

    def __init__(self, x_names, x_vals, line_arg, line_vals, line_names, plot_name, args, xlabel="", ylabel="", x_log=False,
                 y_log=False, styles=None):
        self.x_names = x_names
        self.x_vals = x_vals
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.plot_name = plot_name
        self.args = args
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = styles


class Mark:
    """A function with its benchmarks; `run` calls it for every point."""

    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks

    def _rows(self, benchmark, named):
        """One row per x: its values, then value, lower and upper bound of each line."""
        places = benchmark.x_vals[:1] if knobs.autotuning.quick else benchmark.x_vals
        step = _progress(benchmark.plot_name, len(places) * len(benchmark.line_vals))
        for x in places:
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(benchmark.x_names)
            if len(values) != len(benchmark.x_names):
                raise ValueError(f"Expected {len(benchmark.x_names)} values, got {x}")
            points = dict(zip(benchmark.x_names, values))
            row = []
            for line in benchmark.line_vals:
                result = self.fn(**points, **{benchmark.line_arg: line}, **benchmark.args, **named)
                row.append(tuple(result) if isinstance(result, tuple) else (result, None, None))
                step()
            yield values, row

    def _plot(self, benchmark, rows, path, show):
        import matplotlib.pyplot as plt
        plt.figure()
        axes = plt.subplot()
        x = [values[0] for values, _ in rows]
        for i, name in enumerate(benchmark.line_names):
            color, style = benchmark.styles[i] if benchmark.styles else (None, None)
            axes.plot(x, [row[i][0] for _, row in rows], label=name, color=color, ls=style)
            if all(row[i][1] is not None and row[i][2] is not None for _, row in rows):
                axes.fill_between(x, [row[i][1] for _, row in rows], [row[i][2] for _, row in rows], alpha=0.15, color=color)
        axes.legend()
        axes.set_xlabel(benchmark.xlabel or benchmark.x_names[0])
        axes.set_ylabel(benchmark.ylabel)
        axes.set_xscale("log" if benchmark.x_log else "linear")
        axes.set_yscale("log" if benchmark.y_log else "linear")
        if show:
            plt.show()
        if path:
            plt.savefig(path)
        plt.close()

    def _report(self, benchmark, rows, path):
        """A page with the plot, and the points as JSON, beside the table; only where x is a number."""
        if not all(isinstance(values[0], (int, float)) for values, _ in rows):
            return
        points = [(str(name), float(values[0]), *(math.nan if part is None else float(part) for part in point))
                  for values, row in rows for name, point in zip(benchmark.line_names, row)]
        _native.write_report([f"{path}.html", f"{path}.json"], benchmark.plot_name, benchmark.xlabel or benchmark.x_names[0],
                             benchmark.ylabel, benchmark.x_log, benchmark.y_log, points)

    def _run(self, benchmark, save_path, show_plots, print_data, diff_col, save_precision, named):
        import os
        rows = list(self._rows(benchmark, named))
        header = [*benchmark.x_names, *(f"{name} ({benchmark.ylabel})" if benchmark.ylabel else name for name in benchmark.line_names)]
        table = [[*values, *(point[0] for point in row)] for values, row in rows]
        if diff_col and len(benchmark.line_names) == 2:
            header.append("Diff")
            for row in table:
                row.append(row[-1] - row[-2])
        if benchmark.plot_name and (show_plots or save_path):
            with contextlib.suppress(ImportError):
                self._plot(benchmark, rows, os.path.join(save_path, f"{benchmark.plot_name}.png") if save_path else None, show_plots)
        if print_data:
            print(benchmark.plot_name + ":")
            _print_table(header, table)
        if save_path:
            self._report(benchmark, rows, os.path.join(save_path, benchmark.plot_name))
            with open(os.path.join(save_path, f"{benchmark.plot_name}.csv"), "w") as file:
                file.write(",".join(map(str, header)) + "\n")
                for row in table:
                    file.write(",".join(f"{v:.{save_precision}f}" if isinstance(v, float) else str(v) for v in row) + "\n")
        try:
            import pandas
        except ImportError:
            return table
        return pandas.DataFrame(table, columns=header)

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, diff_col=False, save_precision=6, **named):
        """Measures, then prints, plots and saves as asked. The frame is a pandas one where pandas is, else a list of rows."""
        import os
        several = isinstance(self.benchmarks, (list, tuple))
        if save_path:
            os.makedirs(save_path, exist_ok=True)
        frames = [self._run(benchmark, save_path, show_plots, print_data, diff_col, save_precision, named)
                  for benchmark in (self.benchmarks if several else [self.benchmarks])]
        if return_df:
            return frames if several else frames[0]
        return None


def _progress(name, count):
    """A function to be called after each of `count` steps: it draws a bar, if standard error is a terminal, and wipes it at the end."""
    import sys
    if not (sys.stderr and sys.stderr.isatty()):
        return lambda: None
    done = 0

    def draw():
        filled = 24 * done // count
        text = f"{name} [{'=' * filled}{' ' * (24 - filled)}] {done} of {count}"
        sys.stderr.write("\r" + (text if done < count else " " * len(text) + "\r"))
        sys.stderr.flush()

    def step():
        nonlocal done
        done += 1
        draw()

    draw()
    return step


def _print_table(header, table):
    cells = [[""] + [str(name) for name in header]]
    cells += [[str(i)] + [f"{value:.6f}" if isinstance(value, float) else str(value) for value in row] for i, row in enumerate(table)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    for row in cells:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))


def perf_report(benchmarks):
    """Marks a function to be measured as the benchmark says; `.run(print_data=True)` does it."""
    return lambda fn: functools.update_wrapper(Mark(fn, benchmarks), fn)


def get_dram_gbps(device=None):
    """What the GPU's memory can deliver, in GB/s."""
    import torch
    found = torch.cuda.get_device_properties(device or torch.cuda.current_device())
    return found.memory_clock_rate * found.memory_bus_width * 2 / 8 / 1e6


def nvsmi(attributes):
    """What `nvidia-smi` says of these attributes, as numbers. Where the host stands for a GPU, its clock in MHz."""
    from .runtime import driver
    return driver.active.query_gpu(attributes)


def _tflops(per_clock, clock_rate, device):
    """Operations per clock on one of a multiprocessor's four parts, and the clock in kHz -> 10^12 operations per second of the GPU."""
    import torch
    found = torch.cuda.get_device_properties(device or torch.cuda.current_device())
    return found.multi_processor_count * 4 * clock_rate * per_clock * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    """What the matrix units can do: an eighth of a 16 x 16 x 16 product per clock, half of that before Ampere, twice it for half the bits."""
    import torch
    major = torch.cuda.get_device_capability(device)[0]
    if isinstance(dtype, torch.dtype):
        bits, name = dtype.itemsize * 8, str(dtype).removeprefix("torch.")
    else:  # one of the language's
        bits, name = dtype.primitive_bitwidth, {"fp16": "float16"}.get(dtype.name, dtype.name)
    if major < 8 and name != "float16":
        raise RuntimeError(f"the matrix units of capability {major}.x multiply float16 only")
    if bits > 32:
        raise RuntimeError(f"dtype not supported: {dtype}")
    return _tflops((256 if major < 8 else 512) * 16 // bits, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    """What the ordinary units can do: an FMA of 16 lanes is 32 operations, of 16-bit types twice that."""
    import torch
    if dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise RuntimeError(f"dtype not supported: {dtype}")
    return _tflops(32 if dtype is torch.float32 else 64, clock_rate, device)
