"""What a program sees when something fails: errors at the kernel's line, tracebacks of the user's files only, Ctrl-C, never a dead process."""

import inspect
import os
import signal
import subprocess
import sys
import threading
import time
import traceback

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl

pytestmark = pytest.mark.filterwarnings("ignore:.*this load has no mask")
PACKAGE = os.path.dirname(os.path.abspath(triton.__file__)) + os.sep


@triton.jit
def helper(x_ptr, at):
    return tl.load(x_ptr + at)


@triton.jit
def reader(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, helper(x_ptr, at), mask=at < n)


@triton.jit
def mistaken(x_ptr):
    tl.store(x_ptr, missing)  # noqa: F821


@triton.jit
def caller(x_ptr):
    mistaken(x_ptr)


def frames_of(error):
    """The files in the tracebacks of an error and of all that led to it."""
    return [frame.filename for one in chain_of(error) for frame in traceback.extract_tb(one.__traceback__)]


def chain_of(error):
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def interpreted_division(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) @ 1)


def interpreted_access(x_ptr):
    tl.load(x_ptr + tl.arange(0, 64))


def interpreted_exception(x_ptr):
    {}["nothing"]


ONES = np.ones(4, np.float32)
FAILURES = {
    "compile": lambda: caller[(1,)](ONES),
    "warmup": lambda: caller.warmup(ONES, grid=(1,)),
    "compile by hand": lambda: triton.compile(triton.compiler.ASTSource(caller, {"x_ptr": "*fp32"})),
    "wrong argument": lambda: mistaken[(1,)](np.array(["a"])),
    "missing argument": lambda: reader[(1,)](ONES),
    "wrong grid": lambda: reader[(-1,)](ONES, ONES, 4, BLOCK=4),
    "grid function": lambda: reader[lambda meta: 1 // 0](ONES, ONES, 4, BLOCK=4),
    "no grid": lambda: reader(ONES, ONES, 4, BLOCK=4),
    "outside a kernel": lambda: tl.load(1),
    "interpreted op": lambda: triton.jit(interpreted_division, interpret=True)[(1,)](ONES),
    "interpreted access": lambda: triton.jit(interpreted_access, interpret=True)[(1,)](ONES),
    "interpreted exception": lambda: triton.jit(interpreted_exception, interpret=True)[(1,)](ONES),
}


@pytest.mark.parametrize("name", FAILURES)
def test_no_traceback_shows_our_files(name):
    with pytest.raises(Exception) as caught:  # noqa: B017 (any: the next line looks at it)
        FAILURES[name]()
    files = frames_of(caught.value)
    assert files and not [file for file in files if file.startswith(PACKAGE)]
    # The innermost frame is the user's own line: the launch, or the kernel's body.
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__


def test_an_out_of_bounds_access_shows_the_line_of_the_function_it_is_in():
    x, out = np.zeros(100, np.float32), np.zeros(128, np.float32)
    with triton.engine("reference"), pytest.raises(triton.LaunchError) as caught:
        reader[(2,)](x, out, 128, BLOCK=64)
    text = str(caught.value)
    assert f"{__file__}:{helper.def_file_line_number + 1}:" in text
    assert "    return tl.load(x_ptr + at)" in text
    assert "'x_ptr'" in text and "program (1, 0, 0), lane (36)" in text
    assert f"called from here: {__file__}:{reader.def_file_line_number + 2}:" in text


def test_errors_of_calls_are_a_chain():
    with pytest.raises(triton.CompilationError) as caught:
        caller[(1,)](ONES)
    outer, inner = caught.value, caught.value.__cause__
    assert str(outer).startswith("at 2:4:\ndef caller(x_ptr):\n    mistaken(x_ptr)\n    ^")
    assert "at 2:20:" in str(inner) and "'missing' is not defined" in str(inner)
    # What Python prints last tells what is wrong, not only where the call is.
    assert str(outer).endswith("inside the function called here: 'missing' is not defined"), str(outer)


@triton.jit
def in_numpys_words(x_ptr):
    tl.store(x_ptr, np.exp(1.0))


@triton.jit
def reads_a_global(x_ptr):
    tl.store(x_ptr, tl.load(ONES))


def test_what_kernels_cannot_use_of_python_comes_with_the_way_out():
    with pytest.raises(RuntimeError, match=r"'np.exp' is Python's; did you mean 'tl.exp'\?"):
        in_numpys_words[(1,)](ONES)
    with pytest.raises(triton.CompilationError, match="got an object of type 'ndarray'; a kernel gets memory as an argument of its launch"):
        reads_a_global[(1,)](ONES)


PROGRAM = """import tilewise as triton
@triton.jit%s
def kernel(x):
    pass
"""


@pytest.mark.parametrize("call", ["", "(debug=True)"])
def test_a_kernel_from_standard_input_is_refused_at_its_own_line(call):
    done = subprocess.run([sys.executable], input=PROGRAM % call, capture_output=True, text=True)
    assert done.returncode == 1
    assert "File \"<stdin>\", line 2" in done.stderr and PACKAGE not in done.stderr and "inspect.py" not in done.stderr
    assert done.stderr.endswith("give it with tilewise.jit(source=...), or save the program in a file\n")


def test_jit_is_described_as_a_function():
    assert triton.jit.__name__ == "jit" and "source" in inspect.signature(triton.jit).parameters


def test_memory_of_torch_tensors_is_known():
    torch = pytest.importorskip("torch")
    whole = torch.zeros(100)
    out = torch.zeros(128)
    with triton.engine("reference"):
        with pytest.raises(triton.LaunchError, match=r"'x_ptr'(.|\n)*program \(1, 0, 0\), lane \(36\)") as caught:
            reader[(2,)](whole, out, 128, BLOCK=64)
        assert "element 100 lies 4 bytes (1 element)" in str(caught.value)
        # A view may reach all of its storage, but not more.
        reader[(1,)](whole[36:], out, 64, BLOCK=64)
        with pytest.raises(triton.LaunchError, match="lane \\(63\\)"):
            reader[(1,)](whole[37:], out, 64, BLOCK=64)
        wrapped = triton.reinterpret(whole, tl.int32)
        with pytest.raises(triton.LaunchError, match="'x_ptr'"):
            reader[(2,)](wrapped, triton.reinterpret(out, tl.int32), 128, BLOCK=64)


@triton.jit
def slow(x_ptr, trips):
    total = 0.0
    for _ in range(trips):
        total += tl.load(x_ptr)
    tl.store(x_ptr + 1, total)


@triton.jit
def waits(x_ptr):
    while tl.load(x_ptr) == 0:
        tl.atomic_add(x_ptr, 0)


def interrupted_after(seconds, launch):
    """How long a launch goes on after a Ctrl-C."""
    at = []

    def press():
        at.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt) as caught:
        launch()
    assert not [file for file in frames_of(caught.value) if file.startswith(PACKAGE)]
    timer.join()
    return time.monotonic() - at[0]


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_ctrl_c_ends_a_long_launch(engine):
    x = np.ones(2, np.float32)
    with triton.engine(engine):
        slow[(1,)](x, 10)
        # Hours without the interrupt.
        assert interrupted_after(0.3, lambda: slow[(1 << 30,)](x, 10000)) < 30
        slow[(1,)](x, 10)
    assert x[1] == 10


def test_ctrl_c_ends_a_program_that_waits_for_ever():
    with triton.engine("reference"):
        assert interrupted_after(0.3, lambda: waits[(1,)](np.zeros(1, np.int32))) < 30


def test_ctrl_c_ends_an_interpreted_kernel():
    @triton.jit(interpret=True)
    def kernel(x_ptr):
        while tl.load(x_ptr) == 0:
            pass

    assert interrupted_after(0.3, lambda: kernel[(1,)](np.zeros(1, np.int32))) < 30


class Unsized:
    """Memory of which only the address is known."""

    dtype = "float32"

    def __init__(self, array, offset=0):
        self.array = array
        self.offset = offset

    def data_ptr(self):
        return self.array.ctypes.data + self.offset


def test_a_pointer_into_nowhere_is_an_error_and_no_crash():
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    far = 1 << 45
    with triton.engine("reference"):
        reader[(1,)](Unsized(x), Unsized(out), 64, BLOCK=64)
        assert out.tolist() == x.tolist()
        with pytest.raises(triton.LaunchError, match=r"load at the address 0x\w+ made from 'x_ptr', where this process has no memory"):
            reader[(1,)](Unsized(x, far), Unsized(out), 64, BLOCK=64)

    @triton.jit(interpret=True)
    def through_an_integer(address):
        tl.store(address.to(tl.pointer_type(tl.float32)), 1.0)

    with pytest.raises(triton.InterpreterError, match="where this process has no memory that can be written"):
        through_an_integer[(1,)](far)
