"""Random kernels line by line: what `tilewise-random --dump` writes is run in interpreter mode, or with --live compiled as live functions, and memory
compared with what the kernel file left there on the reference engine. See docs/testing.md."""

import argparse
import contextlib
import importlib.util
import io
import itertools
import pathlib
import subprocess
import sys
import tempfile
import traceback
import warnings

import numpy as np
import tilewise

_STORED = {"i1": np.uint8, "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32, "i64": np.int64,
           "u64": np.uint64, "fp16": np.float16, "bf16": np.uint16, "fp32": np.float32, "fp64": np.float64}


class BFloat16:
    """Elements that numpy has no type for."""

    dtype = "bfloat16"

    def __init__(self, words):
        self.words = words
        self.shape = words.shape

    @property
    def __array_interface__(self):
        return {**self.words.__array_interface__, "typestr": "<V2"}


class Buffer:
    """One argument, as a line of the kernel's head describes it."""

    def __init__(self, words, data):
        self.name, self.type = words[0], words[1]
        told = dict(zip(words[2::2], words[3::2]))
        stored = np.dtype(_STORED.get(self.type, np.uint8))
        size = int(told["count"]) * stored.itemsize
        self.before = np.frombuffer(data.read(size), stored).copy()
        self.after = np.frombuffer(data.read(size), stored)
        self.is_exact, self.is_raw = told["exact"] == "1", told["raw"] == "1" or told["written"] == "0"
        self.ulps, self.within = float(told["ulps"]), float(told["within"])

    def argument(self):
        if self.type == "bf16":
            return BFloat16(self.before)
        return self.before.view(bool) if self.type == "i1" else self.before

    def _is_nan(self, byte):
        """Of 8-bit floats."""
        if self.type == "fp8e5":
            return (byte & 127) > 0x7C
        return (byte & 127) == 127 if self.type == "fp8e4nv" else byte == 128

    def difference(self):
        """None, or the first element that differs by more than it may. 8-bit floats are compared only where they are exact."""
        got, expected = self.before, self.after
        same = got.view(f"u{got.itemsize}") == expected.view(f"u{got.itemsize}")
        if not same.all() and not self.is_raw and (self.type.startswith("fp") or self.type == "bf16"):
            if self.type.startswith("fp8"):
                same |= (self._is_nan(got) & self._is_nan(expected)) | (not self.is_exact)
            else:
                def widened(words):
                    return (words.astype(np.uint32) << 16).view(np.float32) if self.type == "bf16" else words

                with np.errstate(all="ignore"):
                    a, b = widened(got).astype(np.float64), widened(expected).astype(np.float64)
                    same |= np.isnan(a) & np.isnan(b)
                    if not self.is_exact:
                        eps = {"fp16": 2.0**-10, "bf16": 2.0**-7, "fp32": 2.0**-23, "fp64": 2.0**-52}[self.type]
                        same |= np.abs(a - b) <= self.within + 2 * self.ulps * eps * np.abs(b)
        if same.all():
            return None
        at = int(np.argmin(same))
        return f"{self.name}[{at}] is {got[at]}, expected {expected[at]}"


def run(path):
    """None, or what went wrong with a kernel."""
    head = [line.split()[1:] for line in path.read_text().splitlines() if line.startswith("#random ")]
    with open(path.with_suffix(".bin"), "rb") as data:
        buffers = [Buffer(words[1:], data) for words in head if words[0] == "buffer"]
    grid = tuple(int(n) for n in head[0][3:5])
    spec = importlib.util.spec_from_file_location(f"random_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    arguments = [buffer.argument() for buffer in buffers]
    named = {words[1]: int(words[2]) for words in head if words[0] == "scalar"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        module.random_kernel[grid](*arguments, **named, enable_fp_fusion=False)
    # Line by line, `print` is Python's; and programs come in another order.
    if "    print(" not in path.read_text():
        got, expected = sorted(printed.getvalue().splitlines()), sorted(path.with_suffix(".txt").read_text().splitlines())
        for a, b in itertools.zip_longest(got, expected):
            if a != b:
                return f"printed is {a!r}, expected {b!r}"
    return next(filter(None, (buffer.difference() for buffer in buffers)), None)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary", help="tilewise-random")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="how many seeds")
    parser.add_argument("--live", action="store_true", help="compiled instead of line by line")
    options = parser.parse_args(arguments)
    tilewise.install()
    tilewise.knobs.runtime.interpret = not options.live
    warnings.simplefilter("ignore")  # random kernels give every reason to warn
    failures = 0
    with tempfile.TemporaryDirectory() as folder, tilewise.engine("reference"):
        subprocess.run([options.binary, "--seed", str(options.seed), "--count", str(options.count), "--dump", folder], check=True)
        paths = sorted(pathlib.Path(folder).glob("*.py"), key=lambda path: int(path.stem))
        for path in paths:
            try:
                wrong = run(path)
            except Exception as error:  # noqa: BLE001 (any of them is a failure of the kernel's)
                wrong = "".join(traceback.format_exception_only(error)).strip()
            if wrong:
                failures += 1
                print(f"seed {path.stem}: {wrong}", flush=True)
    print(f"{len(paths)} kernels {'as live functions' if options.live else 'line by line'}: {failures} failed")
    return failures > 0 or len(paths) < options.count


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
