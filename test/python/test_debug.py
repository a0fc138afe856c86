"""tilewise.debug: conditions on programs, printing and stopping in some of them, and checks of tensors."""

import subprocess
import sys

import numpy as np
import pytest
import tilewise
import tilewise.language as tl
from tilewise import debug


@pytest.mark.parametrize(("conditions", "ids", "met"), [
    ("", (5, 6, 7), True), ("=0", (0, 1, 2), True), ("=0", (1, 0, 0), False), ("==3", (3, 0, 0), True), ("!=3", (3, 0, 0), False),
    (",>1", (0, 2, 0), True), (",>1", (2, 1, 2), False), (">1,=0", (2, 0, 9), True), (">1,=0", (2, 1, 0), False), (",,<=4", (9, 9, 4), True),
    (">= 2 , < 3", (2, 2, 0), True), ("<10", (9, 0, 0), True), (" ", (1, 1, 1), True)])
def test_conditions(conditions, ids, met):
    assert debug.in_program(conditions, *ids) is met
    assert debug.test_pid_conds(conditions, *([value] for value in ids)) is met


@pytest.mark.parametrize(("conditions", "message"), [("0", "'0' is no condition on axis 0: write one of"), ("=0,~1", "'~1' is no condition on axis 1"),
                                                     ("=0,=0,=0,=0", "has 4 conditions; a grid has three axes")])
def test_what_is_no_condition_is_told(conditions, message):
    with pytest.raises(ValueError, match=message):
        debug.in_program(conditions, 0, 0, 0)


@tilewise.jit(interpret=True)
def shown(x_ptr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    column = tl.program_id(1)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    debug.print_if(f"all {pid} {column}")
    debug.print_if(f"some {at}", "=1,>0")
    debug.print_if(f"given {tl.load(x_ptr + at)}", "=0,=0", pid_0=[pid], pid_1=[column])
    debug.breakpoint_if("=1,=1", pid, column)


def test_print_if_and_breakpoint_if_in_a_kernel(capsys, monkeypatch):
    stops = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: stops.append(int(sys._getframe(2).f_locals["pid"])))
    shown[(2, 2)](np.arange(4, dtype=np.int32), BLOCK=2)
    assert capsys.readouterr().out.splitlines() == ["all 0 0", "given [0 1]", "all 1 0", "all 0 1", "all 1 1", "some [2 3]"]
    assert stops == [1]


def test_the_debugger_stops_at_the_kernels_line(tmp_path):
    (tmp_path / "program.py").write_text("""
import numpy as np
import tilewise
import tilewise.language as tl
from tilewise.debug import breakpoint_if


@tilewise.jit(interpret=True)
def kernel(x_ptr):
    pid = tl.program_id(0)
    breakpoint_if("=1")
    tl.store(x_ptr + pid, pid * 10)


x = np.zeros(2, np.int32)
kernel[(2,)](x)
print(x)
""")
    done = subprocess.run([sys.executable, "program.py"], input="where\np pid\ncontinue\n", capture_output=True, text=True, cwd=tmp_path)
    # Python 3.13 stops at the call, those before it at the line after it.
    line, text = (11, 'breakpoint_if("=1")') if sys.version_info >= (3, 13) else (12, "tl.store(x_ptr + pid, pid * 10)")
    assert f"program.py({line})kernel()" in done.stdout and f"-> {text}" in done.stdout, done.stdout + done.stderr
    assert "(Pdb) 1\n" in done.stdout and done.stdout.endswith("[ 0 10]\n")


def test_checks_of_tensors():
    x = np.zeros((4, 4))
    debug.check_tensors(x, x)
    with pytest.raises(ValueError, match=r"tensor 1 of shape \(4, 4\) is not contiguous"):
        debug.check_tensors(x, x.T)
    torch = pytest.importorskip("torch")
    debug.check_tensors_gpu_ready(torch.zeros(3), torch.zeros(3))
    with pytest.raises(ValueError, match="is not contiguous"):
        debug.check_tensors_gpu_ready(torch.zeros(3, 3).t())
    with pytest.raises(ValueError, match="tensor 1 is on meta, tensor 0 on cpu"):
        debug.check_tensors_gpu_ready(torch.zeros(3), torch.zeros(3, device="meta"))


@tilewise.jit
def compiled(x_ptr):
    pid = tl.program_id(0)
    debug.print_if(f"{pid}")
    tl.store(x_ptr, pid)


def test_a_compiled_kernel_says_what_to_do():
    line = compiled.fn.__code__.co_firstlineno + 3
    with pytest.raises(RuntimeError, match=rf"Unsupported function referenced: <function print_if(.|\n)*test_debug.py:{line}: 'debug.print_if' is Python's(.|\n)*TRITON_INTERPRET=1"):
        compiled[(1,)](np.zeros(1, np.int32))
