"""Wrong launches from Python: each a LaunchError that names the kernel and the argument, on each engine."""

import pickle

import numpy as np
import pytest
import tilewise
import tilewise.language as tl


@tilewise.jit
def takes(x_ptr, n, small: tl.int8, typed: "*fp32", BLOCK: tl.constexpr):  # noqa: F722
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(typed + at, mask=at < n), mask=at < n)


X = np.zeros(64, np.float32)


class Null:
    """A tensor that says it has elements, and has no memory, as those of torch's device meta."""

    dtype = "float32"

    def __init__(self, count):
        self.count = count

    def data_ptr(self):
        return 0

    def numel(self):
        return self.count


class NoStorage(Null):
    """As torch's sparse tensors."""

    def __init__(self):
        super().__init__(4)

    def data_ptr(self):
        raise RuntimeError("nothing is stored")


def launch(grid=(1,), **changed):
    named = {"x_ptr": X, "n": 5, "small": 3, "typed": X, "BLOCK": 16, **changed}
    takes[grid](**{name: value for name, value in named.items() if value is not Ellipsis})


WRONG = {
    "a grid of text": (dict(grid="x"), "a grid is one to three integers"),
    "a grid of nothing": (dict(grid=()), "a grid is one to three integers"),
    "a grid of four": (dict(grid=(1, 1, 1, 1)), "a grid is one to three integers"),
    "a grid of floats": (dict(grid=(1.5,)), "a grid is one to three integers"),
    "a grid of None": (dict(grid=None), "a grid is one to three integers"),
    "a function that gives no grid": (dict(grid=lambda meta: "x"), "a grid is one to three integers"),
    "a grid below zero": (dict(grid=(-1,)), "grid dimension 0 is -1, expected 0 or more"),
    "a grid of 2^31": (dict(grid=(2**31,)), "at most 2147483647 programs are possible"),
    "a grid of 2^70": (dict(grid=(2**70,)), "at most 2147483647 programs are possible"),
    "a product of 2^31": (dict(grid=(2**16, 2**15)), "the grid has more than 2147483647 programs"),
    "a tensor without memory": (dict(x_ptr=Null(4)), "argument 'x_ptr' is a tensor without memory: on the device 'meta', or a fake one"),
    "a misaligned pointer": (dict(x_ptr=np.zeros(64, np.uint8)[1:9].view(np.float32)),
                             "argument 'x_ptr' points to fp32 at an address that is no multiple of 4"),
    "a complex array": (dict(x_ptr=np.zeros(4, np.complex64)), "argument 'x_ptr': .*cannot be a kernel argument"),
    "an array of text": (dict(x_ptr=np.array(["a"])), "argument 'x_ptr': .*cannot be a kernel argument"),
    "an array of another type": (dict(typed=np.zeros(4, np.int32)), "argument 'typed' is annotated .*got a pointer to i32"),
    "a number for an array": (dict(typed=7), "argument 'typed' is annotated .*got an integer"),
    "an array for a number": (dict(small=X), "argument 'small' is annotated .*got a pointer to fp32"),
    "a float for an integer": (dict(small=1.5), "argument 'small' is of type i8, got a float"),
    "too large a number": (dict(small=200), "argument 'small' is 200, which does not fit i8"),
    "a number of 65 bits": (dict(n=2**64), "argument 'n': an integer argument needs more than 64 bits"),
    "a tensor that has no address": (dict(x_ptr=NoStorage()), "argument 'x_ptr': nothing is stored"),
    "three warps": (dict(num_warps=3), "num_warps must be a power of 2, got 3"),
    "warps as text": (dict(num_warps="4"), "num_warps must be an integer of at least 0, got '4'"),
    "stages below zero": (dict(num_stages=-1), "num_stages must be an integer of at least 0, got -1"),
    "an array for a constant": (dict(BLOCK=X), "argument 'BLOCK' is tl.constexpr and needs a value known when compiling, got a pointer"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_launches(host_engine, name):
    changed, message = WRONG[name]
    with pytest.raises(tilewise.LaunchError, match=message) as told:
        launch(**changed)
    assert str(told.value).startswith("kernel 'takes'")


def test_arguments_by_position_are_named_too(host_engine):
    with pytest.raises(tilewise.LaunchError, match="kernel 'takes': argument 'typed': .*cannot be a kernel argument"):
        takes[(1,)](X, 5, 3, np.zeros(4, np.complex64), 16)


@pytest.mark.parametrize("name", ["n", "BLOCK"])
def test_missing_arguments(host_engine, name):
    with pytest.raises((tilewise.LaunchError, TypeError), match=name):
        launch(**{name: Ellipsis})


@pytest.mark.parametrize("name, meant", [("BLOK", "BLOCK"), ("num_wraps", "num_warps")])
def test_unknown_keywords(host_engine, name, meant):
    with pytest.raises(tilewise.LaunchError, match=f"kernel 'takes': Keyword argument {name} was specified but unrecognised; did you mean '{meant}'") as told:
        launch(**{name: 4})
    assert isinstance(told.value, KeyError)  # upstream's
    assert str(pickle.loads(pickle.dumps(told.value))) == str(told.value)


def test_errors_are_upstreams_too(host_engine):
    with pytest.raises(OverflowError):
        launch(n=-2**64)
    with pytest.raises(AssertionError):
        launch(num_warps=3)


def test_what_is_no_argument_of_a_kernel(host_engine):
    """A list for a tensor, text for a number."""
    with pytest.raises(tilewise.LaunchError, match="argument 'x_ptr' is a tuple; the kernel compiles with a pointer to fp32"):
        exponential[(1,)]([1.0, 2.0], 2, BLOCK=16)
    with pytest.raises(tilewise.LaunchError, match="argument 'n' is an object of type 'object'; the kernel compiles with a number of type i32"):
        exponential[(1,)](X, object(), BLOCK=16)
    with pytest.raises(tilewise.LaunchError, match="argument 'n' is '2'; the kernel compiles with a number of type i32"):
        exponential[(1,)](X, "2", BLOCK=16)


def test_nothing_to_do_is_fine(host_engine):
    launch(grid=(0,))
    launch(grid=(3, 0))
    empty = np.zeros(0, np.float32)
    launch(n=0, x_ptr=empty, typed=empty)
    launch(n=0, x_ptr=Null(0), typed=Null(0))


def test_what_has_no_elements_may_not_be_touched(host_engine):
    for empty in (np.zeros(0, np.float32), Null(0)):
        with pytest.raises(tilewise.LaunchError, match="'typed' has (no|0) elements|null pointer made from 'typed'"):
            launch(typed=empty)
    launch()


@tilewise.jit
def exponential(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK >= 16, "blocks of 16 at least")
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.exp(tl.load(x_ptr + at, mask=at < n)), mask=at < n)


@tilewise.jit
def gives_nothing(x):
    pass


@tilewise.jit
def adds_nothing(x_ptr, other, BLOCK: tl.constexpr):
    tl.store(x_ptr, gives_nothing(BLOCK) + 1)


@tilewise.jit
def misspelt(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), missing)  # noqa: F821


def test_a_type_that_only_the_text_refuses(host_engine):
    """Upstream's CompilationError, and a LaunchError that names the argument."""
    with pytest.raises(tilewise.LaunchError) as told:
        exponential[(1,)](np.zeros(16, np.int32), 16, BLOCK=16)
    assert isinstance(told.value, tilewise.CompilationError)
    lines = str(told.value).split("\n")
    assert lines[0] == "at 4:32:" and lines[6].startswith("Expected dtype fp32 or fp64 for tl.exp, got int32[16]")
    assert lines[-1] == ("note: kernel 'exponential': argument 'x_ptr' is a pointer to i32; "
                         "the kernel compiles with a pointer to fp32")
    exponential[(1,)](np.zeros(16, np.float32), 16, BLOCK=16)


def test_constants_that_only_the_text_refuses(host_engine):
    with pytest.raises(tilewise.compiler.errors.CompileTimeAssertionFailure, match="blocks of 16") as told:
        exponential[(1,)](X, 16, BLOCK=8)
    assert isinstance(told.value, tilewise.LaunchError)
    assert "argument 'BLOCK' is 8; the kernel compiles with 16" in str(told.value)
    with pytest.raises(tilewise.LaunchError, match="argument 'BLOCK' is 100; the kernel compiles with 128"):
        exponential[(1,)](X, 16, BLOCK=100)


def test_a_none_is_blamed_where_it_is_used(host_engine):
    with pytest.raises(tilewise.LaunchError, match="argument 'x_ptr' is None; the kernel compiles with a pointer to fp32"):
        exponential[(1,)](None, 16, BLOCK=16)
    # Of another kernel's making: no argument is at fault.
    with pytest.raises(tilewise.CompilationError, match=r"operator '\+' cannot take None and int") as told:
        adds_nothing[(1,)](X, None, BLOCK=16)
    assert not isinstance(told.value, tilewise.LaunchError)


def test_objects_of_python_are_called_what_they_are(host_engine):
    with pytest.raises(tilewise.LaunchError, match="argument 'x_ptr' is a dict; the kernel compiles with a pointer to fp32"):
        exponential[(1,)]({"a": 1}, 16, BLOCK=16)
    with pytest.raises(tilewise.LaunchError, match="argument 'x_ptr' is an object of type 'set'; the kernel compiles"):
        exponential[(1,)]({1}, 16, BLOCK=16)


def test_a_wrong_text_is_no_launch_error(host_engine):
    with pytest.raises(tilewise.CompilationError, match="missing") as told:
        misspelt[(1,)](X, BLOCK=16)
    assert not isinstance(told.value, tilewise.LaunchError)


def test_errors_with_arguments_can_be_copied():
    with pytest.raises(tilewise.LaunchError) as told:
        exponential[(1,)](X, 16, BLOCK=100)
    copied = pickle.loads(pickle.dumps(told.value))
    assert type(copied) is type(told.value) and str(copied) == str(told.value)


def test_kernels_of_files_too(host_engine, tmp_path):
    path = tmp_path / "file.py"
    path.write_text("import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x_ptr):\n    tl.store(x_ptr, tl.exp(tl.load(x_ptr)))\n")
    kernel = tilewise.load(path)
    with pytest.raises(tilewise.LaunchError, match="kernel 'k': argument 'x_ptr' is a pointer to i32") as told:
        kernel[(1,)](np.zeros(1, np.int32))
    assert isinstance(told.value, tilewise.CompilationError) and f"{path}:7:28: error: Expected dtype" in str(told.value)
    path.write_text("import triton\n\n\n@triton.jit\ndef k(x_ptr):\n    missing\n")
    with pytest.raises(tilewise.CompilationError, match="'missing' is not defined") as told:
        tilewise.load(path)[(1,)](X)
    assert not isinstance(told.value, tilewise.LaunchError)
    path.write_text("import triton\n\n\n@triton.jit\ndef k(:\n")
    with pytest.raises(tilewise.CompilationError, match=f"{path}:5:7: error:"):
        tilewise.load(path)
