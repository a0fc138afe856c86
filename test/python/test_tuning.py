"""triton.autotune where it is told what to take: by a file that tilewise tune wrote, and by TILEWISE_TUNE=never."""

import os
import pathlib
import subprocess
import sys

import pytest
import tilewise

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def add_one(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
"""

# Prints the block size, how many configs were timed, and the warnings.
PROGRAM = """
import sys
import warnings

import numpy as np
import tilewise

tilewise.install()
import kernel

timed = []


def bench(call, quantiles):
    timed.append(call)
    return [float(len(timed))] * 3


tuned = tilewise.autotune([tilewise.Config({"BLOCK": block}) for block in (16, 32, 64)], key=["n"], do_bench=bench)(kernel.add_one)
n = int(sys.argv[1])
x = np.zeros(n, np.float32)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    tuned[lambda meta: (tilewise.cdiv(n, meta["BLOCK"]),)](x, n)
assert (x == 1).all()
print(tuned.best_config.kwargs["BLOCK"], len(timed), *(str(one.message) for one in told))
"""

NEVER = {"TILEWISE_TUNE": "never"}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "program.py").write_text(PROGRAM)

    def run(*words, **environment):
        folders = {"TILEWISE_CACHE_DIR": str(tmp_path / "cache"), "TRITON_CACHE_DIR": str(tmp_path / "kept")}
        environment = {**os.environ, **folders, **environment}
        done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_never_takes_the_first_and_says_so(run):
    assert run(sys.executable, "program.py", "100") == "16 3"
    assert run(sys.executable, "program.py", "100", **NEVER) == (
        "16 0 kernel 'add_one' is not tuned for n=100, x_ptr: fp32, and TILEWISE_TUNE=never: it runs with "
        "BLOCK: 16, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: None")


def test_never_takes_what_an_earlier_process_kept(run):
    assert run(sys.executable, "program.py", "100", TRITON_CACHE_AUTOTUNING="1") == "16 3"
    assert run(sys.executable, "program.py", "100", **NEVER) == "16 0"


def test_a_shipped_file_is_taken(run):
    tool = pathlib.Path(tilewise.__file__).parents[2] / "bin" / "tilewise"
    if not tool.exists():
        pytest.skip("the tool is not beside the package")
    # The other config cannot be compiled: no block has 63 elements.
    run(str(tool), "tune", "kernel.py", "--grid=cdiv(n, BLOCK)", "--config", "BLOCK=63", "--config", "BLOCK=64", "--key", "n", "--save=shipped.json", "fp32[100]", "100")
    shipped = {"TILEWISE_TUNING_FILE": "shipped.json"}
    assert run(sys.executable, "program.py", "100", **shipped) == "64 0"
    assert run(sys.executable, "program.py", "100", **shipped, **NEVER) == "64 0"
    # Of another key it says nothing.
    assert run(sys.executable, "program.py", "101", **shipped) == "16 3"
    assert run(sys.executable, "program.py", "101", **shipped, **NEVER).startswith("16 0 kernel 'add_one' is not tuned for n=101")
