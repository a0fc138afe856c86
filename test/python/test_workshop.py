"""The workshop: every file says what is missing, its solution is right, mistakes are named at their lines, and phases print their tables."""

import os
import pathlib
import subprocess
import sys

import pytest
from tilewise.learn import commands
from tilewise.learn.workshop import FOLDER

np = pytest.importorskip("numpy")
EXERCISES = [f"exercises/exercise_{number}.py" for number in (1, 2, 3, 4)]
PHASES = ["kernels/vector_add.py", "kernels/softmax.py", "kernels/matmul_relu.py"]


@pytest.fixture
def workshop(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert commands.main(["workshop"]) == 0
    assert f"{sum(path.is_file() and '__pycache__' not in path.parts for path in FOLDER.rglob('*'))} files are now in tilewise-workshop" in capsys.readouterr().out
    return tmp_path / "tilewise-workshop"


def run(folder, *words):
    import tilewise
    package = pathlib.Path(tilewise.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("file", EXERCISES + PHASES)
def test_unfinished_and_solved(workshop, file):
    done = run(workshop, file)
    assert done.returncode == 1 and "not yet. step 1 is not written yet: line " in done.stdout, done.stdout + done.stderr
    solution = workshop / "solutions" / pathlib.Path(file).name
    (workshop / file).write_text(solution.read_text())
    done = run(workshop, file)
    assert done.returncode == 0 and "\nright: " in done.stdout and "but note" not in done.stdout, done.stdout + done.stderr
    assert ("question: " in done.stdout) == (file in PHASES)
    if "exercise_2" in file:
        assert (workshop / "sepia.png").stat().st_size > 1000
    if "exercise_3" in file:
        assert "see sharp.png, edges.png, sobel.png, gauss.png, motion.png" in done.stdout


@pytest.mark.parametrize("file, right, wrong, said", [
    ("exercises/exercise_1.py", "pid * BLOCK_SIZE + ", "", "program 1 wrote where program 0 wrote ('output_ptr', element 0, line 18): 'pid' is not used, line 10"),
    ("exercises/exercise_2.py", "0.534 * g", "0.543 * g", "expected"),
    ("exercises/exercise_3.py", "(rows + i < height) & (columns + j < width)", "(rows < height) & (columns < width)", "outside"),
    ("exercises/exercise_4.py", "tl.dot(a, b, accumulator", "tl.dot(a, b, accumulator * 0", "expected"),
    ("kernels/softmax.py", ", other=-float(\"inf\")", "", "expected"),
])
def test_mistakes(workshop, file, right, wrong, said):
    text = (workshop / "solutions" / pathlib.Path(file).name).read_text()
    assert right in text
    (workshop / file).write_text(text.replace(right, wrong))
    done = run(workshop, file)
    assert done.returncode == 1 and said in done.stdout, done.stdout


def test_all_phases(workshop):
    done = run(workshop, "-m", "kernels.main", "--quick")
    assert done.returncode == 1 and "phase 1: vector add\nnot yet. step 1" in done.stdout
    done = run(workshop, "-m", "kernels.main", "--quick", "--solution")
    assert done.returncode == 0, done.stdout + done.stderr
    for expected in ("phase 2: softmax\nright", "phase 3", "matmul + relu  32 x 32 x 32", "BLOCK_SIZE   1 warps", "best: BLOCK_SIZE="):
        assert expected in done.stdout, done.stdout
    assert done.stdout.count("question: ") == 5


def test_a_phase_that_needs_others(workshop):
    for module in ("benchmark", "tuning"):
        done = run(workshop, "-m", f"kernels.{module}")
        assert done.returncode == 1 and "vector_add.py: step 1 is not written yet" in done.stderr


def test_what_is_there_stays(workshop, capsys):
    (workshop / "exercises/exercise_1.py").write_text("mine")
    assert commands.main(["workshop"]) == 0
    assert "0 files are now in" in capsys.readouterr().out and (workshop / "exercises/exercise_1.py").read_text() == "mine"
