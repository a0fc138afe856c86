"""Programs for a GPU without one: with the switch they run (gpu_programs.py), without it a program that ends for want of a GPU names the switch."""

import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
PROGRAMS = pathlib.Path(__file__).with_name("gpu_programs.py")
LINE = ("this machine has no GPU that torch can use; TILEWISE_CUDA_AS_CPU=1 or 'python -m tilewise --device=cpu SCRIPT' runs programs written "
        "for one on the CPU")


def run(*arguments, cwd, **environment):
    environment = {**{name: value for name, value in os.environ.items() if name != "TILEWISE_CUDA_AS_CPU"}, **environment}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment, timeout=300)


def test_programs_for_a_gpu_run(tmp_path):
    done = run("-m", "tilewise", "--device=cpu", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(PROGRAMS), cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "skipped" not in done.stdout


SCRIPT = """
import sys
import torch
import triton
x = torch.ones(3, device="cuda")
print(sys.argv[1:], x.is_cuda, triton.__name__, __name__)
"""


@pytest.mark.parametrize("way", ["script", "module", "text", "variable"])
def test_every_way_to_start_a_program(tmp_path, way):
    (tmp_path / "program.py").write_text(SCRIPT)
    arguments = {"script": ["--device=cpu", "program.py"], "module": ["--device=cpu", "-m", "program"],
                 "text": ["--device=cpu", "-c", SCRIPT], "variable": ["program.py"]}[way]
    variable = {"TILEWISE_CUDA_AS_CPU": "1"} if way == "variable" else {}
    done = run("-m", "tilewise", *arguments, "--device=cpu", "-m", cwd=tmp_path, **variable)
    assert done.stdout == "['--device=cpu', '-m'] True tilewise __main__\n", done.stderr


def test_install_and_plain_import_obey_the_variable(tmp_path):
    text = "import torch, tilewise; tilewise.install(); import triton; print(torch.ones(2).cuda().is_cuda)"
    assert run("-c", text, cwd=tmp_path, TILEWISE_CUDA_AS_CPU="1").stdout == "True\n"


CALLS = ["torch.ones(3, device='cuda')", "torch.ones(3).cuda()", "torch.ones(3).to('cuda')", "torch.cuda.synchronize()", "torch.cuda.current_device()",
         "torch.cuda.get_device_properties(0)", "torch.cuda.Stream()", "torch.cuda.Event()", "torch.cuda.set_device(0)", "torch.Generator('cuda')",
         "torch.zeros(2, device=0)", "torch.zeros(2).to(0)", "torch.cuda.CUDAGraph()"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_the_switch_a_program_that_wanted_a_gpu_ends_with_the_line_that_names_it(tmp_path):
    done = run("-m", "tilewise", "-c", f"import torch\n{CALLS[0]}", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == LINE, done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("call", CALLS)
def test_every_way_in_which_torch_says_that_there_is_no_gpu_is_known(call):
    from tilewise.cuda_as_cpu import no_gpu
    with pytest.raises((AssertionError, AttributeError, RuntimeError, TypeError)) as caught:
        eval(call)
    assert no_gpu.is_missed(str(caught.value))
    assert not no_gpu.is_missed("mat1 and mat2 shapes cannot be multiplied")


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_tests_that_wanted_a_gpu_end_with_the_line_once(tmp_path):
    calls = "".join(f"def test_{i}():\n    {call}\n" for i, call in enumerate(CALLS[:3]))
    (tmp_path / "test_it.py").write_text(f"import torch\n{calls}")
    done = run("-m", "tilewise", "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout.count(LINE) == 1, done.stdout


def test_an_error_without_torch_ends_without_it(tmp_path):
    done = run("-m", "tilewise", "-c", "raise RuntimeError('CUDA is not what this program wanted')", cwd=tmp_path)
    assert done.returncode == 1 and LINE not in done.stderr


def test_an_unknown_device_is_refused(tmp_path):
    done = run("-m", "tilewise", "--device=tpu", "x.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == "tilewise: --device is cpu or cuda, not 'tpu'\n"


def test_the_frames_that_started_a_program_are_not_in_its_traceback(tmp_path):
    (tmp_path / "program.py").write_text("import torch\n\n\ndef fail():\n    torch.ones(3, device='cuda') @ torch.ones(4, device='cuda')\n\n\nfail()\n")
    for device in ("cpu", "cuda"):
        done = run("-m", "tilewise", f"--device={device}", "program.py", cwd=tmp_path)
        files = [line.split('"')[1] for line in done.stderr.splitlines() if line.startswith("  File ")]
        assert files[:2] == ["program.py"] * 2 and not [file for file in files if "tilewise" in file or "runpy" in file], done.stderr
