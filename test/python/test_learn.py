"""The course: every lesson shows, every exercise is unfinished in words, every solution is right, and mistakes are named at the learner's lines."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

from tilewise.learn import commands
from tilewise.learn.course import Workspace, find_step, steps

STEPS = steps()
COUNTED = r"per element;.*\n\n(    .*\n)+    one kernel +#+ %s\n"
# What a lesson's picture shows, where it is not which program writes what.
PICTURES = {1: COUNTED % 4, 4: r"\n    2222\.{6}\n", 6: r"\n +#{10,}   .*\n", 7: COUNTED % 2, 8: COUNTED % 4, 10: r"(    BLOCK = \d+ +#+ [\d.,]+ us\n){5}",
            11: r"stored +#{6} 16,384\n    .*column +#{48} 131,072\n    .*row +#{6,7} 1\d,\d{3}\n", 12: r"4096 ones  #+ 2,048\n", 13: r"all scores +#{48} ", 14: COUNTED % 3,
            15: r"element at a time +#{48} 201\n    .* # 5\n", 17: r"(    (cpu|cuda):\S+ +#+ .*\n){5}"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tilewise-course"


def learn(capsys, *words):
    code = commands.main([str(word) for word in words])
    return code, capsys.readouterr().out


def test_there_are_seventeen_steps():
    assert [step.number for step in STEPS] == list(range(1, 18))


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_step(folder, capsys, step):
    number = step.number
    code, out = learn(capsys, "show", number)
    assert code == 0 and out.startswith(f"# {step.title}\n") and f"tilewise-course/{step.file_name}" in out
    assert "[picture]" not in out and "FILE" not in out
    # The picture: indented lines after its title, with what the code has counted, timed or drawn.
    assert step.lesson.count("[picture]") == 1 and re.search(PICTURES.get(number, r"\n    0+1*.*\n"), out), out
    code, out = learn(capsys, "check", number)
    assert code == 1 and out.startswith("not yet. "), out
    if "..." in step.exercise.read_text():
        assert re.match(r"not yet\. step \d is not written yet: line \d+ still has '\.\.\.'", out)
    else:
        assert re.search(r"program 1 wrote where program 0|right, but|expected", out), out
    for hint in step.task.hints:
        assert hint in learn(capsys, "hint", number)[1]
    assert "that was all" in learn(capsys, "hint", number)[1]
    code, out = learn(capsys, "solution", number)
    assert code == 0 and out == step.solution.read_text()
    (folder / step.file_name).write_text(out)
    code, out = learn(capsys, "check", number)
    assert code == 0 and "right: " in out and "but note" not in out, out
    assert f"[x] {number:2}  {step.title} (solution seen)" in learn(capsys)[1]


@pytest.mark.parametrize("number", range(1, 18))
def test_bench(folder, capsys, number, monkeypatch):
    monkeypatch.setattr(commands, "_best", lambda call, least=0: (call(), 1.0)[1])
    step = find_step(str(number))
    assert "begin with" in learn(capsys, "bench", number)[1]
    folder.mkdir()
    (folder / step.file_name).write_text(step.solution.read_text())
    code, out = learn(capsys, "bench", number)
    assert code == 0 and "times as fast" in out


# A mistake in a solution: what is replaced by what, and what the check says.
MISTAKES = [
    (1, "tl.sqrt(", "sqrt(", r"line \d+: NameError: name 'sqrt' is not defined; did you mean 'tl.sqrt'\?"),
    (1, "tl.sqrt(", "tl.squareroot(", r"no attribute 'squareroot'; did you mean 'tl.sqrt'\?"),
    (2, "pid * BLOCK + tl.arange", "pid + tl.arange", r"program 1 wrote where program 0 wrote .*: it writes elements 1 to 4, the other one 0 to 3"),
    (12, "tl.float32", "tl.float16", r"the compiler warns of line \d+: this sum is kept in fp16"),
    (3, "at = pid * BLOCK + tl.arange", "at = tl.arange", r"program 1 wrote where program 0 wrote \('z_ptr', element 0, line 14\): 'pid' is not used, line 9"),
    (3, ", mask=inside)\n    y", ")\n    y", r"line 12: .*outside.*x_ptr|line 12: .*x_ptr.*outside"),
    (3, "tl.store(z_ptr + at, x + y, mask=inside)", "tl.store(z_ptr + at, x - y, mask=inside)", r"z_ptr\[0\] is .*, expected .*, written by program 0"),
    (3, "at < n", "at < n - 1", r"elements 9 of 'z_ptr' were never written"),
    (3, "at < n", "at < m", r"line 11: .*'m'"),
    (3, "@triton.jit\n", "", r"'add' is not a kernel: @triton.jit is missing"),
    (3, "def add(", "def sum(", r"there is no function 'add'"),
    (3, "n, BLOCK", "count, BLOCK", r"'add' should have the parameters \(x_ptr, y_ptr, z_ptr, n, BLOCK\), but has"),
    (3, "inside = at < n", "inside = at <", r"line 11: Python cannot read this"),
    (3, "tl.store(z_ptr", "tl.store(x_ptr", r"elements 0 to 9 of 'z_ptr' were never written|'x_ptr' is an input"),
    (3, "program_id(0)", "program_id(1)", r"program 1 wrote where program 0 wrote .*: tl.program_id\(1\) is 0 in every program of this grid, \(3,\), line 9"),
    (3, "    tl.store", "    if inside:\n        pass\n    tl.store", r"line 14: a condition needs a scalar, got a block of shape \[4\]"),
    (3, "import triton\n", "import triton\nraise SystemExit(3)\n", r"line 4: the file cannot be loaded: SystemExit: 3"),
    (3, "n, BLOCK", "n, n, BLOCK", r"line 8: Python cannot read this: duplicate argument 'n'"),
    (5, "tl.program_id(1) * BLOCK_W", "tl.program_id(0) * BLOCK_W", r"program \(.*\) wrote where program \(.*\) wrote|never written"),
    (5, "out_ptr + plane + at", "out_ptr + at", r"out_ptr\[.*\] is|never written"),
    (7, ', other=-float("inf")', ", other=0.0", r"out_ptr\[.*\] is .*, expected"),
    (7, "x - tl.max(x, axis=0)", "x", r"values of up to 300: out_ptr.* NaN comes from"),
    (8, "tl.where(inside, x - mean, 0.0)", "x - mean", r"4 rows of 13: y_ptr\[.*\] is .*, expected"),
    (9, "(m[:, None] < M) & (k[None, :] < K), other", "k[None, :] < K, other", r"17 x 33 times 33 x 20: .*a_ptr"),
    (9, "acc = tl.dot(a, b, acc", "acc = tl.dot(a, b", r"c_ptr\[.*\] is .*, expected"),
    (10, "128, 1024, 8192", "128, 256", r"CONFIGS has 2 different block sizes"),
    (10, '["n"]', '["factor"]', r"KEY should be \['n'\]"),
    (13, "acc * correction[:, None]", "acc", r"out_ptr\[.*\] is .*, expected"),
    (16, "tl.num_programs(0) * BLOCK", "BLOCK", r"program 1 wrote where program 0 wrote"),
    (17, "*fp32:16, *fp32:16", "*fp32, *fp32", r"say so with :16"),
    (17, ", 256", "", r"with this signature it does not compile"),
]


@pytest.mark.parametrize("number, old, new, said", MISTAKES, ids=[f"{number}-{new.strip()[:30]}" for number, _, new, _ in MISTAKES])
def test_mistake_is_named(folder, capsys, number, old, new, said):
    step = find_step(str(number))
    text = step.solution.read_text()
    assert old in text
    folder.mkdir()
    (folder / step.file_name).write_text(text.replace(old, new))
    code, out = learn(capsys, "check", number)
    assert code == 1 and re.search(said, out), out
    assert "Traceback" not in out


def test_a_loop_without_an_end_is_told(folder, capsys, monkeypatch):
    from tilewise.learn import checker
    monkeypatch.setattr(checker, "SECONDS", 0.5)
    folder.mkdir()
    step = find_step("3")
    for loop, line in (("    while True:\n        x += 1\n", "1[45]"), ("    while tl.max(x, axis=0) < 1000000:\n        x = x\n", "1[45]")):
        (folder / step.file_name).write_text(step.solution.read_text().replace("    tl.store", loop + "    tl.store"))
        code, out = learn(capsys, "check", 3)
        assert code == 1 and re.match(rf"not yet. line {line}: after 0.5 seconds this is still running; does every loop come to its end\?\n", out), out


def test_what_a_kernel_prints_is_shown_once(folder, capsys):
    folder.mkdir()
    step = find_step("3")
    (folder / step.file_name).write_text(step.solution.read_text().replace("    tl.store", "    print('in', pid)\n    tl.store"))
    code, out = learn(capsys, "check", 3)
    assert code == 0 and out.count("in 0\n") == len(step.task.cases()), out


def test_a_file_that_is_no_text_is_told(folder, capsys):
    folder.mkdir()
    (folder / find_step("3").file_name).write_bytes(b"# caf\xe9\n")
    assert "line 1: the file has a byte that is not UTF-8" in learn(capsys, "check", 3)[1]
    (folder / find_step("3").file_name).write_bytes(b"x = 1\n\0\n")
    assert "Python cannot read this: " in learn(capsys, "check", 3)[1]


def test_bench_of_a_kernel_that_does_not_compile(folder, capsys):
    folder.mkdir()
    step = find_step("3")
    (folder / step.file_name).write_text(step.solution.read_text().replace("tl.load(x_ptr", "tl.lod(x_ptr"))
    code, out = learn(capsys, "bench", 3)
    assert code == 1 and out.startswith("not yet. ") and "tl has no 'lod'; did you mean 'load'?" in out and out.endswith("tilewise learn check 3\n")


def test_a_folder_that_cannot_be_made_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").write_text("a file")
    for words in (["show", "3"], ["workshop"]):
        assert commands.main([*words, "--dir=mine"]) == 1
        assert capsys.readouterr().err == "tilewise learn: File exists: 'mine'\n"


def test_reading_twice_is_told(folder, capsys):
    step = find_step("7")
    folder.mkdir()
    text = step.solution.read_text().replace("    weight =", '    x = tl.load(in_ptr + row * in_stride + column, mask=inside, other=-float("inf"))\n    weight =')
    (folder / step.file_name).write_text(text)
    code, out = learn(capsys, "check", 7)
    assert code == 1 and "right, but 'in_ptr' is read 2.0 times over (384 bytes for 192 distinct ones); once is enough" in out


def test_reset_keeps_what_was_written(folder, capsys):
    step = find_step("3")
    learn(capsys, "show", 3)
    path = folder / step.file_name
    path.write_text("mine")
    assert learn(capsys, "reset", 3)[0] == 0
    assert path.read_text() == step.exercise.read_text() and path.with_suffix(".py.old").read_text() == "mine"
    assert learn(capsys, "reset")[0] == 0 and not path.exists()
    assert Workspace(folder).progress == {}


def test_what_to_type_next_names_the_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words, told in ((["show", "3", "--dir=my course"], "check it with: tilewise learn check 3 --dir='my course'\n"),
                        (["check", "3", "--dir", "my course"], "stuck? tilewise learn hint 3 --dir='my course'\n"),
                        (["show", "3"], "check it with: tilewise learn check 3\n"), ([], "next: tilewise learn show 1\n")):
        commands.main(words)
        assert capsys.readouterr().out.endswith(told)


def test_wrong_usage(folder, capsys):
    assert commands.main(["check", "99"]) == 2 and "there is no step '99'" in capsys.readouterr().err
    assert commands.main(["chek", "3"]) == 2 and "'chek 3' is no command; did you mean 'check 3'?" in capsys.readouterr().err
    assert commands.main(["check", "3", "4"]) == 2 and "is no command; see tilewise learn --help" in capsys.readouterr().err
    assert commands.main(["check"]) == 2 and "which step?" in capsys.readouterr().err
    assert commands.main(["--help"]) == 0 and "tilewise learn check 3" in capsys.readouterr().out


def test_as_a_module_and_by_the_tool(folder):
    package = pathlib.Path(sys.modules["tilewise"].__file__).parents[1]
    tool = package.parent / "bin" / "tilewise"
    by_module = subprocess.run([sys.executable, "-m", "tilewise", "learn"], capture_output=True, text=True, check=True, env=os.environ).stdout
    assert by_module.startswith("0 of 17 steps done") and "[>]  1  Why fusion" in by_module
    if tool.exists():
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment["PATH"]
        assert subprocess.run([tool, "learn"], capture_output=True, text=True, check=True, env=environment).stdout == by_module
