"""torch tensors as arguments, on the CPU and, where there is one, on a GPU; and that torch and numpy are imported by no one but the caller."""

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


def test_import_brings_neither_torch_nor_numpy():
    code = "import sys, tilewise; print([name for name in ('torch', 'numpy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
