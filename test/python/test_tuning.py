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


tuned = tilewise.autotune([tilewise.Config({"BLOCK": block}) for block in (16, 32, 64)], key=["n"], do_bench=bench,
                          cache_results=sys.argv[2:] == ["keep"])(kernel.add_one)
n = int(sys.argv[1])
x = np.zeros(n, np.float32)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    tuned[lambda meta: (tilewise.cdiv(n, meta["BLOCK"]),)](x, n)
assert (x == 1).all()
print(tuned.best_config.kwargs["BLOCK"], len(timed), *(str(one.message) for one in told))
"""

# Sixteen threads launch for three keys; prints what failed, and how many configs were timed.
THREADS = """
import copy
import threading

import numpy as np
import tilewise

tilewise.install()
import kernel

timed, failed = [], []


def bench(call, quantiles):
    timed.append(call)
    call()
    return [float(len(timed))] * 3


tuned = tilewise.autotune([tilewise.Config({"BLOCK": block}) for block in (16, 32, 64)], key=["n"], do_bench=bench)(kernel.add_one)
copy.deepcopy(tuned)


def work(number):
    try:
        for turn in range(50):
            n = 100 + (number + turn) % 3
            x = np.zeros(n, np.float32)
            tuned[lambda meta: (tilewise.cdiv(n, meta["BLOCK"]),)](x, n)
            assert (x >= 1).all()
    except Exception as error:
        failed.append(repr(error))


threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(failed, len(timed))
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


def test_results_are_kept_where_the_decorator_says_so(run):
    assert run(sys.executable, "program.py", "100", "keep") == "16 3"
    assert run(sys.executable, "program.py", "100", "keep") == "16 0"
    assert run(sys.executable, "program.py", "100") == "16 3"


KEEPS = {"TRITON_CACHE_AUTOTUNING": "1"}


@pytest.mark.parametrize("content", [b"", b'{"configs_timings": []}', b'{"configs_timings": [[{"odd": 1}, [1]]]}', b"\xff\xfe"])
def test_a_damaged_result_is_made_anew(run, tmp_path, content):
    assert run(sys.executable, "program.py", "100", **KEEPS) == "16 3"
    kept, = (tmp_path / "kept").glob("*/*.autotune.json")
    kept.write_bytes(content)
    assert "is damaged, and is made anew" in run(sys.executable, "program.py", "100", **KEEPS)
    assert run(sys.executable, "program.py", "100", **KEEPS) == "16 0"


def test_a_folder_that_cannot_be_written_is_told_of(run, tmp_path):
    (tmp_path / "kept").write_text("in the way")
    assert run(sys.executable, "program.py", "100", **KEEPS).startswith("16 3 kernel 'add_one': cannot keep tuning results: ")


def test_threads_tune_once_and_each_has_its_arguments(run, tmp_path):
    (tmp_path / "threads.py").write_text(THREADS)
    assert run(sys.executable, "threads.py") == "[] 9"


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
