"""Programs for a GPU without one: with the switch they run (gpu_programs.py), without it the first call that wants a GPU names the switch."""

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
         "torch.cuda.get_device_properties(0)", "torch.cuda.Stream()", "torch.cuda.Event()", "torch.cuda.set_device(0)"]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_the_switch_the_error_names_it(tmp_path):
    text = f"""
import tilewise
import torch
for call in {CALLS!r}:
    try:
        eval(call)
    except Exception as error:
        print(str(error).splitlines()[-1])
    else:
        print(call, "worked")
"""
    assert run("-c", text, cwd=tmp_path).stdout.splitlines() == [LINE] * len(CALLS)
    assert run("-m", "tilewise", "-c", text, cwd=tmp_path).stdout.splitlines() == [LINE] * len(CALLS)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
@pytest.mark.parametrize("call", ["torch.Generator('cuda')", "torch.zeros(2, device=0)", "torch.zeros(2).to(0)"])
def test_what_no_function_of_torch_stands_before_names_the_switch_when_the_program_ends(call, tmp_path):
    for start in (["-c"], ["-m", "tilewise", "-c"]):
        done = run(*start, f"import tilewise, torch\n{call}", cwd=tmp_path)
        assert done.returncode == 1 and done.stderr.splitlines()[-1] == LINE, done.stderr


def test_an_unknown_device_is_refused(tmp_path):
    done = run("-m", "tilewise", "--device=tpu", "x.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr == "tilewise: --device is cpu or cuda, not 'tpu'\n"


def test_the_frames_that_started_a_program_are_not_in_its_traceback(tmp_path):
    (tmp_path / "program.py").write_text("import torch\n\n\ndef fail():\n    torch.ones(3, device='cuda') @ torch.ones(4, device='cuda')\n\n\nfail()\n")
    for device in ("cpu", "cuda"):
        done = run("-m", "tilewise", f"--device={device}", "program.py", cwd=tmp_path)
        files = [line.split('"')[1] for line in done.stderr.splitlines() if line.startswith("  File ")]
        assert files[:2] == ["program.py"] * 2 and not [file for file in files if "tilewise" in file or "runpy" in file], done.stderr
