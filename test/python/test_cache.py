"""The disk cache from Python: a second process compiles nothing, unless something that the kernel looks at has changed."""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAM = """
import sys
import numpy as np
import tilewise as triton
import tilewise.language as tl

SHIFT = tl.constexpr({shift})

class Settings:
    factor = tl.constexpr({factor})

@triton.jit
def scaled(x):
    return x * Settings.factor {comment}

def make(added):
    @triton.jit
    def kernel(x_ptr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x_ptr + at, scaled(tl.load(x_ptr + at)) + SHIFT + added)
    return kernel

x = np.ones(64, np.float32)
make(tl.constexpr({added}))[(1,)](x, BLOCK=64)
print(x[0])
"""


@pytest.fixture
def run(tmp_path):
    def run(**changes):
        values = {"shift": 1, "factor": 2, "added": 0, "comment": "", **changes}
        program = tmp_path / "program.py"
        program.write_text(PROGRAM.format(**values))
        cache = tmp_path / "cache"
        environment = {**os.environ, "TILEWISE_CACHE_DIR": str(cache)}
        before = set(os.listdir(cache)) if cache.exists() else set()
        done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == values["factor"] + values["shift"] + values["added"]
        return len(set(os.listdir(cache)) - before)
    return run


def test_a_second_process_compiles_nothing(run):
    assert run() >= 1
    assert run() == 0


ASSIGNED = """
import sys
import numpy as np
import tilewise
import tilewise.language as tl

tilewise.knobs.compilation.always_compile = sys.argv[1] == "always"

@tilewise.jit
def kernel(x_ptr):
    tl.store(x_ptr, 1.0)

kernel[(1,)](np.ones(1, np.float32))
print(*tilewise.compile_counts())
"""


def test_always_compile_may_be_assigned(tmp_path):
    program = tmp_path / "assigned.py"
    program.write_text(ASSIGNED)
    environment = {**os.environ, "TILEWISE_CACHE_DIR": str(tmp_path / "cache")}

    def counts(mode):
        done = subprocess.run([sys.executable, str(program), mode], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert counts("once") == ["1", "0"]
    assert counts("once") == ["0", "1"]
    assert counts("always") == ["1", "0"]


@pytest.mark.parametrize("change", [{"shift": 5}, {"factor": 3}, {"added": 7}, {"comment": "# other"}])
def test_what_a_kernel_looks_at_is_noticed(run, change):
    """A global, an attribute of a class, a variable of the closure, the text of a function that is called."""
    run()
    assert run(**change) == 1
    assert run(**change) == 0
    assert run() == 0


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(shift=1, factor=2, added=0, comment=""))
    environment = {**os.environ, "TILEWISE_CACHE_DIR": str(pathlib.Path("/dev/null/cache"))}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == 3


def test_compiles_are_told_with_their_reason():
    import numpy
    import tilewise
    told = []
    tilewise.set_compile_hook(lambda *event: told.append(event))
    try:
        before = sum(tilewise.compile_counts())
        kernel = tilewise.load(str(pathlib.Path(os.environ.get("TILEWISE_TEST_ROOT", pathlib.Path(__file__).parents[2]), "kernels", "vector_add.py")))
        x, y, z = (numpy.ones(1000, numpy.float32) for _ in range(3))
        kernel[(1,)](x, y, z, 999, BLOCK=1024)
        kernel[(1,)](x, y, z, 992, BLOCK=1024)
    finally:
        tilewise.set_compile_hook(None)
    assert [event[0] for event in told] == ["vector_add"] * 2
    assert [event[3] for event in told][0] == "first launch"
    assert "argument 'n" in told[1][3] and "was i32" in told[1][3]
    assert all(isinstance(event[4], bool) and event[5] > 0 for event in told)
    assert sum(tilewise.compile_counts()) == before + 2


def test_a_kernel_from_an_artifact(tmp_path):
    import numpy
    import tilewise
    root = pathlib.Path(os.environ.get("TILEWISE_TEST_ROOT", pathlib.Path(__file__).parents[2]))
    text = tilewise.load(str(root / "kernels" / "vector_add.py"))
    file = tmp_path / "add.twa"
    file.write_bytes(text.artifact("*fp32:16, *fp32:16, *fp32:16, i32, 1024"))
    for source in (file.read_bytes(), file, str(file)):
        kernel = tilewise.from_artifact(source)
        x, y, z = (numpy.ones(1000, numpy.float32) for _ in range(3))
        kernel[(1,)](x, y, z, 1000)
        assert (z == 2).all()
        kernel[(1,)](x, y, z, 1000, BLOCK=1024)
    with pytest.raises(tilewise.LaunchError, match="these arguments need .*2048"):
        kernel[(1,)](x, y, z, 1000, BLOCK=2048)
    with pytest.raises(tilewise.LaunchError, match="no Tilewise artifact"):
        tilewise.from_artifact(b"x")
