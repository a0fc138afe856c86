"""tilewise.trace and tilewise.analysis: bytes, distinct bytes, sectors, operations and overlaps of small launches, counted by hand."""

import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT, import_kernel

import tilewise
import tilewise.language as tl
from tilewise.analysis import analyze
from tilewise.trace import trace


def aligned(*shape, dtype=np.float32):
    """Zeros at a multiple of 64 bytes, so that sectors can be counted by hand."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + 64, np.uint8)
    first = -memory.ctypes.data % 64
    return memory[first:first + size].view(dtype).reshape(shape)


def test_vector_add():
    x, y, z = aligned(100), aligned(100), aligned(100)
    x[:], y[:] = 1, 2
    found = analyze(import_kernel("vector_add"), (2,), x, y, z, 100, BLOCK=64)
    assert (z == 3).all()
    assert (found.loaded, found.stored, found.least, found.wasted, found.programs) == (800, 400, 1200, 48, 2)
    assert found.operations == 128  # a block at a time, the lanes past the end too
    assert found.intensity == pytest.approx(128 / 1200)
    assert found.against(40, 200)[0] == "memory"


def test_matmul_uses_data_again():
    a, b, c = aligned(64, 32), aligned(32, 64), aligned(64, 64)
    found = analyze(import_kernel("matmul"), (4, 4), a, b, c, 64, 64, 32, 32, 1, 64, 1, 64, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    arguments = found.trace.arguments
    assert arguments["a_ptr"].loaded == 4 * a.nbytes and arguments["a_ptr"].distinct_loaded == a.nbytes
    assert arguments["b_ptr"].loaded == 4 * b.nbytes
    assert found.dot_operations == 2 * 64 * 64 * 32
    assert found.against(1, 1)[0] == "arithmetic"


def test_helpers_and_kernels_are_left_as_they_were():
    kernel = import_kernel("matmul_fused")
    before = dict(kernel.fn.__globals__)
    load = tl.load
    a, b, c = np.ones((16, 16), np.float32), np.ones((16, 16), np.float32), np.zeros((16, 16), np.float32)
    for _ in range(2):
        trace(kernel, (1,), a, b, c, 16, 16, 16, 16, 1, 16, 1, 16, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16, GROUP=1, ACTIVATION="leaky_relu")
    assert tl.load is load and {name: value for name, value in kernel.fn.__globals__.items() if name in before} == before
    kernel[(1,)](a, b, c, 16, 16, 16, 16, 1, 16, 1, 16, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16, GROUP=1, ACTIVATION="leaky_relu")
    assert (c == 16).all()


def test_overlaps_are_told():
    x, y, z = (np.ones(10, np.float32) for _ in range(3))
    found = analyze(import_kernel("buggy_add"), (3,), x, y, z, 10, BLOCK=4)
    assert [(each.argument, each.element, each.first, each.second) for each in found.trace.overlaps] == [("z_ptr", 0, 0, 1), ("z_ptr", 0, 1, 2)]
    assert "program 1 wrote 'z_ptr' where program 0 had written (element 0)" in str(found)


@tilewise.jit
def count(x_ptr, n_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.atomic_add(n_ptr, tl.sum(x, axis=0))


def test_atomics_are_no_overlaps():
    total = np.zeros(1, np.float32)
    found = trace(count, lambda meta: (tilewise.cdiv(10, meta["BLOCK"]),), np.ones(10, np.float32), total, 10, BLOCK=4)
    assert total[0] == 10 and not found.overlaps and found.arguments["n_ptr"].stored == 12


def test_only_kernels():
    with pytest.raises(TypeError, match="trace takes a function decorated with triton.jit, got function"):
        trace(lambda: 0, (1,))


def test_separate_operators_of_torch():
    torch = pytest.importorskip("torch")
    from tilewise.analysis import count_torch
    a, b, c = (torch.ones(1000) for _ in range(3))
    found = count_torch(lambda: torch.sqrt(a * b + c))
    assert (found.launches, found.moved, found.names) == (3, 8 * 4000, ["mul", "add", "sqrt"])
    assert count_torch(lambda: a.reshape(10, 100).t()).launches == 0


def test_ceilings_are_measured_once():
    bandwidth, peak = tilewise._native.ceilings("cpu")
    assert bandwidth > 0 and peak > 0 and tilewise._native.ceilings("cpu") == (bandwidth, peak)


def test_page(tmp_path):
    x, y, z = aligned(100), aligned(100), aligned(100)
    page = analyze(import_kernel("vector_add"), (2,), x, y, z, 100, BLOCK=64).html(40, 200)
    from xml.dom import minidom
    for svg in page.split("<svg")[1:]:
        minidom.parseString("<svg" + svg.split("</svg>")[0] + "</svg>")
    assert page.count("<svg") == 4 and "bound by memory" in page and "vector_add" in page


def command(*words):
    done = subprocess.run([sys.executable, "-m", "tilewise", "analyze", *map(str, words)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_command(tmp_path):
    kernel = ROOT / "kernels" / "vector_add.py"
    code, out, err = command(kernel, "--grid=cdiv(n, BLOCK)", "fp32[100]", "fp32[100]", "fp32[100]", "n=100", "BLOCK=64", "--ceilings=40,200",
                             f"--html={tmp_path}/page.html")
    assert code == 0, err
    assert "vector_add: 2 programs, 1 launch" in out and "bound by memory" in out and (tmp_path / "page.html").exists()
    assert command(kernel, "--grid=2", "fp32[100]")[0] == 1
    assert "which kernel? " in command(ROOT / "kernels" / "activations.py", "--grid=1")[2]
    assert "--grid is missing" in command(kernel, "fp32[100]")[2]
    code, _, err = command(kernel, "--grid=3", "fp32[10]", "fp32[10]", "fp32[10]", "n=100", "BLOCK=4")
    assert code == 1 and "vector_add.py:12: load outside of 'x_ptr': element 10 lies 4 bytes (1 element) after the last one, in program (2, 0, 0)" in err, err
    assert "'fp33[4]' is no argument" in command(kernel, "--grid=1", "fp33[4]")[2]
    for words in ((kernel, "--grid=2", "fp32[100]"), ("nothing.py", "--grid=1")):
        assert "Traceback" not in command(*words)[2]


def resources_of(capability, num_warps, shared, registers, monkeypatch, ptx=""):
    from tilewise import analysis_gpu
    monkeypatch.setattr(analysis_gpu, "_assemble", lambda text: (registers, 0) if registers else None)
    return analysis_gpu.Resources(capability, num_warps, ptx, shared)


def test_occupancy_by_hand(monkeypatch):
    of = lambda *given: resources_of(*given, monkeypatch).occupancy()
    assert of(90, 4, 0, 32) == (1.0, 16, "warps")  # 64 warps of 64
    assert of(90, 4, 0, 128) == (16 / 64, 4, "registers")  # 4096 of a warp, 16384 of a program
    assert of(90, 4, 0, 129) == (12 / 64, 3, "registers")  # in units of 256 a warp: 4352
    assert of(90, 4, 100 * 1024, 32) == (8 / 64, 2, "shared memory")
    assert of(90, 1, 0, 16) == (32 / 64, 32, "programs")
    assert of(75, 8, 33 * 1024, 64) == (8 / 32, 1, "shared memory")
    text = str(resources_of(90, 4, 0, None, monkeypatch))
    assert "registers unknown (no ptxas here)" in text and "16 programs fit on a multiprocessor, limited by the number of warps: 100% of its warps" in text


def test_what_the_code_says(monkeypatch):
    ptx = "ld.global.v4.b32 {}\n  @%p1 ld.global.b32 {}\n st.global.v2.b64 [%r1]\nwgmma.mma_async.sync\nmma.sync.aligned.m16\ncp.async.cg.shared.global [a]\ncp.async.commit_group;\n"
    found = resources_of(90, 4, 0, 32, monkeypatch, ptx)
    assert found.widths == [16, 4, 16] and found.copies == 1
    assert "tensor cores: 1 wgmma and 1 mma instructions" in str(found) and "2 of 3 loads and stores move 16 bytes a thread; 1 asynchronous copies" in str(found)


def test_on_a_gpu_that_is_not_there():
    a, b, c = aligned(64, 64, dtype=np.float16), aligned(64, 64, dtype=np.float16), aligned(64, 64, dtype=np.float16)
    found = analyze(import_kernel("matmul"), (1, 1), a, b, c, 64, 64, 64, 64, 1, 64, 1, 64, 1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    taken = found.on_gpu("h200")
    assert taken.shared > 0 and taken.warpgroup_products + taken.warp_products > 0
    assert found.on_gpu("75").warpgroup_products == 0
    with pytest.raises(ValueError, match="'h2000' is no GPU that is known: t4, a100"):
        found.on_gpu("h2000")


def test_programs_that_run_at_once_share():
    from tilewise.analysis_gpu import waves
    a, b, c = aligned(64, 32), aligned(32, 64), aligned(64, 64)
    found = analyze(import_kernel("matmul"), (4, 4), a, b, c, 64, 64, 32, 32, 1, 64, 1, 64, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    alone = 4 * (a.nbytes + b.nbytes)
    assert waves(found.trace, 1) == (16, alone, alone)
    # Four at once are the rows of one column of tiles: they share their columns of B.
    assert waves(found.trace, 4) == (4, 4 * a.nbytes + b.nbytes, alone)
    assert waves(found.trace, 100) == (1, a.nbytes + b.nbytes, alone)


def test_beside_separate_operators():
    torch = pytest.importorskip("torch")
    from tilewise.analysis import count_torch
    x, y = aligned(100), aligned(100)
    found = analyze(import_kernel("vector_add"), (2,), x, x, y, 100, BLOCK=64)
    assert found.beside(count_torch(lambda x: torch.sqrt(x * x + x), torch.zeros(100))) == (
        "separate operators: 3 launches, 3.1 KiB moved; vector_add: 1 launch, 1.2 KiB, 2.7 times less")


def test_gpu_on_the_command_line(capsys):
    from tilewise import analysis_command
    words = [f"{ROOT}/kernels/vector_add.py", "--grid=cdiv(n, BLOCK)", "fp32[1000]", "fp32[1000]", "fp32[1000]", "n=1000", "BLOCK=256", "--ceilings=40,200"]
    assert analysis_command.main([*words, "--gpu=a100", "--num-warps=2"]) == 0
    out = capsys.readouterr().out
    assert "on sm_80, 2 warps a program: " in out and "L2: " in out and "sharing within a wave they load 7.8 KiB from memory instead of 7.8 KiB" in out
    assert analysis_command.main([*words, "--gpu=a100", "--num_warps=3"]) == 2
    assert "--num-warps is a power of two up to 32, not '3'" in capsys.readouterr().err
    assert analysis_command.main([*words, "--gpus=a100"]) == 2
    assert "unknown option '--gpus=a100'" in capsys.readouterr().err


def test_pictures_of_tiles():
    import re

    from tilewise.analysis_page import _owners
    a, b, c = aligned(64, 32), aligned(32, 64), aligned(64, 64)
    found = analyze(import_kernel("matmul"), (4, 4), a, b, c, 64, 64, 32, 32, 1, 64, 1, 64, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=16)
    colours = lambda name: re.findall(r'fill="([^"]+)"', _owners(found.trace.arguments[name], found.programs))
    result = np.array(colours("c_ptr")).reshape(64, 64)
    assert len(set(result.ravel())) == 16 and all(len(set(result[y:y + 16, x:x + 16].ravel())) == 1 for y in range(0, 64, 16) for x in range(0, 64, 16))
    assert np.array(colours("a_ptr")).reshape(64, 32).shape == (64, 32) and len(set(colours("a_ptr"))) == 4
    # A vector is folded into rows, and what is not its own shows nothing.
    x, y = aligned(100), aligned(100)
    found = analyze(import_kernel("vector_add"), (2,), x, x, y, 100, BLOCK=64)
    assert len(re.findall("<rect", _owners(found.trace.arguments["z_ptr"], 2))) == 100
