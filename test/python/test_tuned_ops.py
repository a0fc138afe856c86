"""The kernel library's configs: those that are shipped, those that are timed once and remembered, and when nothing is timed."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
import tilewise
from tilewise import _native

ROOT = pathlib.Path(__file__).resolve().parents[2]
TUNED = ROOT / "kernels" / "tuned"
CLASSES = sorted(path.stem.partition("-")[2] for path in TUNED.glob("cpu-*.json"))

# Asks for swiglu's config for sizes of a kind that no file has. By the clock of this program BLOCK 2048 is the fastest. Prints the config and how many calls
# were timed.
ASKS = """
import sys
import threading
from tilewise import _native

calls = []


def run(text, count):
    calls.append(count)
    return count * (1e-3 if text.startswith("BLOCK: 2048,") else 2e-3)


def ask():
    return _native.library_config("swiglu", 1, 0, "float32", (64, 64), run, None)


found = []
threads = [threading.Thread(target=lambda: found.append(ask())) for _ in range(int(sys.argv[1]))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*sorted(set(found)), sum(calls), calls.count(0))
"""

# Functions of each kind, in all types; with what was tuned on standard error.
CALLS = """
import numpy as np
import tilewise.ops as ops

for dtype in (np.float16, np.float32, np.float64):
    x, square, weight = np.ones((3, 40), dtype), np.ones((40, 40), dtype), np.ones(40, dtype)
    assert np.allclose(ops.softmax(x), 1 / 40, rtol=1e-2)
    assert np.allclose(ops.matmul(x, square), 40)
    assert np.allclose(ops.swiglu(x, x), 0.7310586, rtol=1e-2)
    ops.layer_norm(x, weight, weight)
    ops.rms_norm(x, weight)
    ops.cross_entropy(x, np.zeros(3, np.int64))
    ops.attention(*[np.ones((1, 2, 5, 20), dtype)] * 3, causal=True)
    ops.greyscale(np.ones((3, 20, 30), dtype))
    ops.filter2d(x, np.ones((3, 3), np.float32))
"""


@pytest.fixture
def run(tmp_path):

    def run(program, *words, code=0, **environment):
        """(standard output, standard error) of a process with a disk cache of the test's own."""
        environment = {**os.environ, "TILEWISE_CACHE_DIR": str(tmp_path / "cache"), **environment}
        done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
        assert done.returncode == code, done.stderr
        return done.stdout.strip(), done.stderr.strip()

    return run


FIRST, FASTEST = ("BLOCK: %d, num_warps: 4, num_stages: 3" % block for block in (8192, 2048))


def test_what_no_file_has_is_timed_once_and_remembered(run):
    told, _ = run(ASKS, "1")
    *config, timed, compiled = told.split()
    assert " ".join(config) == FASTEST and int(timed) > 6 and compiled == "6", told
    assert run(ASKS, "1") == (f"{FASTEST} 0 0", "")
    assert run(ASKS, "1", TILEWISE_TUNE="never") == (f"{FASTEST} 0 0", "")


def test_threads_that_ask_at_once_time_once(run):
    assert run(ASKS, "8")[0].endswith(" 6") and run(ASKS, "8") == (f"{FASTEST} 0 0", "")


def test_never_times_nothing(run):
    assert run(ASKS, "1", TILEWISE_TUNE="never") == (f"{FIRST} 0 0", "")
    told, _ = run(ASKS, "1", TILEWISE_TUNE="never", TRITON_PRINT_AUTOTUNING="1")
    assert told.startswith("the library's kernel 'swiglu' is not tuned for fp32, 64 x 64 on ") and told.endswith(f"{FIRST} 0 0")
    assert not run(ASKS, "1")[0].endswith(" 0 0"), "what was taken unseen is no result"


def test_damaged_entries_of_the_cache_are_made_anew(run, tmp_path):
    run(ASKS, "1")
    entries = [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and b"swiglu" in path.read_bytes()]
    assert entries
    for path in entries:
        path.write_bytes(path.read_bytes()[:-4] + b"\xff\xff\xff\xff")
    told, problems = run(ASKS, "1")
    assert told.startswith(FASTEST) and not told.endswith(" 0 0") and not problems


@pytest.mark.skipif(_native.device_count(1) == 0, reason="this build has no CPU engine")
@pytest.mark.parametrize("processor", CLASSES)
def test_shipped_results_are_used_and_nothing_is_timed(run, processor):
    results = json.loads((TUNED / f"cpu-{processor}.json").read_text())["results"]
    asks = "from tilewise import _native\n"
    wanted = []
    for one in results:
        dtype, sizes = one["key"].split(", ")
        sizes = tuple(int(size) for size in sizes.split(" x "))
        asks += f"print(_native.library_config({one['kernel']!r}, 1, 0, {dtype!r}, {sizes}, None, None))\n"
        wanted.append(one["config"])
    assert run(asks, TILEWISE_CPU=processor)[0].splitlines() == wanted
    # The nearest size serves where its own has no result.
    told, _ = run("from tilewise import _native\nprint(_native.library_config('swiglu', 1, 0, 'float32', (1 << 29,), None, None))", TILEWISE_CPU=processor)
    assert told == next(one["config"] for one in results if one["kernel"] == "swiglu" and one["key"] == f"fp32, {1 << 24}")


@pytest.mark.skipif(_native.device_count(1) == 0, reason="this build has no CPU engine")
def test_functions_on_a_class_with_results_never_time(run):
    for processor in CLASSES:
        if processor == "x86-64" or _has(processor):
            assert run(CALLS, TILEWISE_CPU=processor, TRITON_PRINT_AUTOTUNING="1") == ("", "")


def _has(processor):
    text = pathlib.Path("/proc/cpuinfo").read_text()
    return {"avx512": "avx512dq", "avx2": "avx2"}[processor] in text


def test_a_tuning_file_goes_before_what_is_shipped(run, tmp_path):
    saved = str(tmp_path / "mine.json")
    program = "from tilewise import _native\nprint(_native.library_config('swiglu', 1, 0, 'float32', (1 << 20,), %s, %s))"
    slow = "lambda text, count: count * (1e-3 if text.startswith('BLOCK: 1024,') else 2e-3)"
    mine = "BLOCK: 1024, num_warps: 4, num_stages: 3"
    assert run(program % (slow, f"(0.01, {saved!r})"))[0] == mine
    assert run(program % (None, None), TILEWISE_TUNING_FILE=saved) == (mine, "")
    assert json.loads(pathlib.Path(saved).read_text())["results"][0]["key"] == f"fp32, {1 << 20}"


def test_the_script_that_makes_the_files(run, tmp_path):
    pytest.importorskip("torch")
    script = "import runpy, sys\nsys.argv = ['tune', *sys.argv[1:]]\nrunpy.run_module('tilewise.ops.tune', run_name='__main__')"
    told, _ = run(script, "--save=made.json", "--seconds=0.001", "--only=float32 256 x 256")
    assert told.endswith("5 cases are in made.json"), told
    results = json.loads((tmp_path / "made.json").read_text())["results"]
    assert sorted((one["kernel"], one["key"]) for one in results) == [
        ("filter2d", "fp32, 1024 x 256 x 16"), ("filter2d", "fp32, 1024 x 256 x 32"), ("greyscale", "fp32, 256 x 256"),
        ("linear", "fp32, 256 x 256 x 256"), ("sepia", "fp32, 256 x 256")]
    assert {one["device"] for one in results} == {"cpu: " + next(name for name in ("avx512", "avx2", "x86-64") if name == "x86-64" or _has(name))}
    assert "no time was left for 5" in run(script, "--save=made.json", "--budget=-1", "--only=float32 256 x 256", code=1)[0]


def test_two_runs_that_do_not_agree_leave_the_default(run, tmp_path):
    saved = str(tmp_path / "mine.json")
    program = "from tilewise import _native\nprint(_native.library_config('swiglu', 1, 0, 'float32', (64,), %s, %s))"
    for fastest, result in ((1024, 1024), (1024, 1024), (2048, 8192), (8192, 8192), (2048, 8192)):
        timed = f"lambda text, count: count * (1e-3 if text.startswith('BLOCK: {fastest},') else 2e-3)"
        assert run(program % (timed, f"(0.01, {saved!r})"))[0] == f"BLOCK: {result}, num_warps: 4, num_stages: 3"


@pytest.mark.parametrize("content", ["", "{", '{"tilewise_tuning": 1, "results": [{}]}', '{"tilewise_tuning": 2, "results": []}', None])
def test_a_damaged_file_is_one_warning(run, tmp_path, content):
    path = tmp_path / "damaged.json"
    if content is not None:
        path.write_text(content)
    _, told = run(CALLS, TILEWISE_TUNING_FILE=str(path), TILEWISE_TUNE="never")
    assert told.count("the kernel library goes on without it") == 1 and str(path) in told, told


def test_an_exception_of_the_callers_thread_ends_the_choice(run):
    program = ("from tilewise import _native\n"
               "def run(text, count):\n    if count: raise KeyboardInterrupt\n    return 0.0\n"
               "try:\n    _native.library_config('swiglu', 1, 0, 'float32', (64, 64), run, None)\n"
               "except KeyboardInterrupt:\n    print('ended')")
    assert run(program)[0] == "ended"


def test_what_cannot_be_run_is_left_out(run):
    program = ("from tilewise import _native\n"
               "def run(text, count):\n"
               "    if text.startswith('BLOCK: 2048,'):\n        return -1.0\n"
               "    return count * (1e-3 if text.startswith(('BLOCK: 2048,', 'BLOCK: 4096,')) else 2e-3)\n"
               "print(_native.library_config('swiglu', 1, 0, 'float32', (64, 64), run, None))")
    assert run(program)[0].startswith("BLOCK: 4096,")
    nothing = "from tilewise import _native\nprint(_native.library_config('swiglu', 1, 0, 'float32', (128, 64), lambda text, count: -1.0, None))"
    assert run(nothing)[0] == FIRST


@pytest.mark.parametrize("path", sorted(TUNED.glob("*-*.json")), ids=lambda path: path.name)
def test_every_shipped_result_is_one_of_the_configs_that_are_tried(path):
    tried = json.loads((TUNED / "configs.json").read_text())
    engine, kind = path.stem.split("-", 1)
    results = json.loads(path.read_text())["results"]
    assert len(results) > 50
    for one in results:
        assert one["device"] == ("cuda:" + kind if engine == "cuda" else "cpu: " + kind)
        name, dtype = one["kernel"], one["key"].split(",")[0]
        row = next(row for row in tried if row["engine"] == engine and {name, name.split("/")[0]} & set(row["kernels"]) and dtype in row.get("types", [dtype]))
        words = {"num_warps": "4", "num_stages": "3"}
        same = [{**words, **dict(item.split(": ") for item in config.split(", "))} for config in row["configs"]]
        assert dict(item.split(": ") for item in one["config"].split(", ")) in same, one
