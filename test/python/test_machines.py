"""tilewise tune --ray: a cluster of three machines, two of them alike, on this one."""

import json
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT
from tilewise import machines
from tilewise.tool import native_tool

# A kernel's file and one that it imports: both go to the machines.
KERNEL = '''
import triton
import triton.language as tl
from parts.steps import added


@triton.autotune([triton.Config({"BLOCK": block}) for block in (64, 128)], key=["n"])
@triton.jit
def add_four(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, added(tl.load(x_ptr + at, mask=at < n)), mask=at < n)
'''
STEPS = '''
import triton


@triton.jit
def added(x):
    return x + 4
'''


def run(*words, **environment):
    # The tool starts the Python of the path: this one, which has Ray.
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    return subprocess.run([native_tool(), "tune", *words], capture_output=True, text=True, timeout=200, env={**os.environ, "PATH": path, **environment}, check=False)


def test_files_that_a_kernel_imports(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "parts/steps.py").write_text(STEPS)
    (tmp_path / "other.py").write_text("")
    assert sorted(pathlib.Path(path).name for path in machines._with_imports(tmp_path / "kernel.py")) == ["kernel.py", "steps.py"]


@pytest.mark.parametrize("words, told, code", [(["--ray", "--grid=1"], "a kernel file is missing", 2), (["--ray", "--save"], "--save needs a value", 2),
                                               (["--ray", "no.py:kernel", "--grid=1"], "there is no file 'no.py'", 1)])
def test_wrong_calls(words, told, code):
    done = run(*words)
    assert done.returncode == code and told in done.stderr, done.stderr


def test_without_a_cluster(tmp_path):
    pytest.importorskip("ray")
    done = run("--ray", str(ROOT / "kernels/vector_add.py"), "--grid=1", RAY_TMPDIR=str(tmp_path), RAY_ADDRESS="")
    assert done.returncode == 1 and "no Ray cluster runs on this machine: start one by 'ray start --head'" in done.stderr, done.stderr
    done = run("--ray=localhost:9", str(ROOT / "kernels/vector_add.py"), "--grid=1")
    assert done.returncode == 1 and "no Ray cluster answers at localhost:9: " in done.stderr, done.stderr


def test_a_file_that_a_machine_does_not_have(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWISE_CACHE_DIR", str(tmp_path))
    files = {"/nowhere/kernel.py": KERNEL, "/nowhere/parts/steps.py": STEPS}
    code, told, results, entries = machines._tune(["--grid=cdiv(n, BLOCK)", "fp32[100]", "100"], "/nowhere/kernel.py", ":add_four", files)
    assert code == 0 and "best: BLOCK: " in told and '"kernel": "add_four"' in results and entries, told
    assert machines._take(b"not entries")[0] == 1


def test_one_machine_of_each_kind_tunes(tmp_path):
    pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    (tmp_path / "parts").mkdir()
    (tmp_path / "kernel.py").write_text(KERNEL)
    (tmp_path / "parts/steps.py").write_text(STEPS)
    cluster = cluster_utils.Cluster()
    try:
        for name, threads in (("first", "2"), ("second", "2"), ("third", "1")):
            cluster.add_node(num_cpus=1, env_vars={"TILEWISE_CACHE_DIR": str(tmp_path / name), "TILEWISE_NUM_THREADS": threads})
        cluster.wait_for_nodes()
        done = run(f"--ray={cluster.address}", f"{tmp_path}/kernel.py:add_four", "--grid=cdiv(n, BLOCK)", "fp32[1000]", "1000", f"--save={tmp_path}/tuned.json")
        assert done.returncode == 0, done.stdout + done.stderr
        wrong = run(f"--ray={cluster.address}", f"{tmp_path}/kernel.py", "--grid=cdiv(n, BLOK)", "fp32[1000]", "999")
        assert wrong.returncode == 1 and "'BLOK' is not defined; it may use BLOCK" in wrong.stdout, wrong.stdout + wrong.stderr
    finally:
        cluster.shutdown()
    results = json.loads((tmp_path / "tuned.json").read_text())["results"]
    assert sorted(one["device"].split(", ")[1] for one in results) == ["1 threads", "2 threads"]
    assert done.stdout.count(", tuned on ") == 2 and done.stdout.count(": added ") == 1, done.stdout
    # Each of those alike launches what it has never compiled nor timed, with what the cluster found.
    for name, threads in (("first", "2"), ("second", "2"), ("third", "1")):
        told = run(f"{tmp_path}/kernel.py", "--grid=cdiv(n, BLOCK)", "fp32[1000]", "1000", TILEWISE_CACHE_DIR=str(tmp_path / name), TILEWISE_NUM_THREADS=threads,
                   TILEWISE_TUNE="never")
        assert told.returncode == 0 and " us  BLOCK" in told.stdout and "not tuned" not in told.stderr, told.stdout + told.stderr
