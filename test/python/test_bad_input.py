"""Wrong launches from Python: each a LaunchError that names the kernel and the argument, on each engine."""

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
    "a null pointer": (dict(x_ptr=Null(4)), "argument 'x_ptr' is a null pointer"),
    "a misaligned pointer": (dict(x_ptr=np.zeros(64, np.uint8)[1:9].view(np.float32)),
                             "argument 'x_ptr' points to fp32 at an address that is no multiple of 4"),
    "a complex array": (dict(x_ptr=np.zeros(4, np.complex64)), "argument 'x_ptr': .*cannot be a kernel argument"),
    "an array of text": (dict(x_ptr=np.array(["a"])), "argument 'x_ptr': .*cannot be a kernel argument"),
    "an array of another type": (dict(typed=np.zeros(4, np.int32)), "argument 'typed' is annotated .*got a pointer to i32"),
    "a number for an array": (dict(typed=7), "argument 'typed' is annotated .*got an integer"),
    "an array for a number": (dict(small=X), "argument 'small' is annotated .*got a pointer to fp32"),
    "a float for an integer": (dict(small=1.5), "argument 'small' is of type i8, got a float"),
    "too large a number": (dict(small=200), "argument 'small' is 200, which does not fit i8"),
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


def test_nothing_to_do_is_fine(host_engine):
    launch(grid=(0,))
    launch(grid=(3, 0))
    empty = np.zeros(0, np.float32)
    launch(n=0, x_ptr=empty, typed=empty)
    launch(n=0, x_ptr=Null(0), typed=Null(0))
