"""torch tensors as arguments, on the CPU and, where there is one, on a GPU; and that torch and numpy are imported by no one but the caller."""

import os
import subprocess
import sys

import pytest
import tilewise
import tilewise.language as tl


@tilewise.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


def check_add(torch, device, dtype):
    x = (torch.randn(1000) * 20).to(dtype).to(device)
    y = (torch.randn(1000) * 20).to(dtype).to(device)
    z = torch.empty_like(x)
    add[lambda meta: (tilewise.cdiv(1000, meta["BLOCK"]),)](x, y, z, 1000, BLOCK=256)
    assert torch.equal(z, x + y)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64"])
def test_cpu_tensors(host_engine, dtype):
    torch = pytest.importorskip("torch")
    check_add(torch, "cpu", getattr(torch, dtype))


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "int32"])
def test_cuda_tensors(dtype):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no GPU that torch can use")
    check_add(torch, "cuda", getattr(torch, dtype))
    with torch.cuda.stream(torch.cuda.Stream()):
        check_add(torch, "cuda", getattr(torch, dtype))


ON_TWO_THREADS = """
import os, pathlib, sys

import numpy as np
import torch
import tilewise
import tilewise.language as tl


@tilewise.jit
def squares(out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, at * at)


def is_right(n=1000):
    out = np.zeros(n * 64, np.int32)  # torch's own zeros hang in a forked child
    squares[(n,)](torch.from_numpy(out) if sys.argv[1] == "torch" else out, BLOCK=64)
    return all(int(out[i]) == i * i for i in range(0, 4000, 7))


def workers():
    return sum((task / "comm").read_text() == "tilewise\\n" for task in pathlib.Path("/proc/self/task").iterdir())


torch.set_num_threads(2)
first, before = is_right(), workers()
torch.set_num_threads(1)
second = is_right()
torch.set_num_threads(2)
child = os.fork()
if child == 0:
    os._exit(0 if is_right(900) else 1)
print(first, second, before, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.parametrize("tensors, threads, workers", [("torch", None, 0), ("torch", "2", 0), ("torch", "3", 2), ("numpy", None, None)])
def test_launches_on_torchs_tensors_run_on_torchs_threads(tmp_path, tensors, threads, workers):
    """Not where another number of threads is asked for; and a forked child, which has none of torch's threads, starts the pool's."""
    pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(ON_TWO_THREADS)
    environment = {name: value for name, value in os.environ.items() if name != "TILEWISE_NUM_THREADS"}
    done = subprocess.run([sys.executable, program, tensors], env=environment | ({"TILEWISE_NUM_THREADS": threads} if threads else {}),
                          capture_output=True, text=True, timeout=120)
    expected = workers if workers is not None else len(os.sched_getaffinity(0)) - 1
    assert done.stdout == f"True True {expected} 0\n", done.stdout + done.stderr


def test_import_brings_neither_torch_nor_numpy():
    code = "import sys, tilewise; print([name for name in ('torch', 'numpy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
