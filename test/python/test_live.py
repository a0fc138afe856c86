"""Live functions: names resolve through globals and closures, helpers are other jit functions, errors point at the user's line."""

import inspect

import numpy as np
import pytest
import tilewise
import tilewise as tw
import tilewise.language as tl
from tilewise.language import program_id

SCALE = tl.constexpr(3)
PLAIN = 3


@tw.jit
def helper(x):
    return x * SCALE


@tw.jit
def calls_helper(x_ptr, n, BLOCK: tl.constexpr = 64):
    at = program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, helper(tl.load(x_ptr + at, mask=at < n)), mask=at < n)


def make_adder(number):
    amount = tl.constexpr(number)

    @tw.jit
    def add_amount(x_ptr, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + amount, mask=at < n)

    return add_amount


@tw.jit
def misspelt(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + att, 1.0)


@tw.jit
def uses_plain_global(x_ptr):
    tl.store(x_ptr, PLAIN)


@tw.jit
def scaled(x_ptr, factor, shift, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at) * factor + shift)


def test_globals_helpers_and_defaults(host_engine):
    x = np.arange(100, dtype=np.float32)
    calls_helper[(2,)](x, 100)
    assert np.array_equal(x, np.arange(100) * 3)


def test_closures_of_one_function_are_two_kernels(host_engine):
    x = np.zeros(10, np.int32)
    make_adder(5)[(1,)](x, 10, BLOCK=16)
    make_adder(-7)[(1,)](x, 10, BLOCK=16)
    assert (x == -2).all()


def test_numpy_scalars_are_numbers(host_engine):
    x = np.ones(16, np.float32)
    scaled[(1,)](x, np.float32(2.5), np.int64(-1), 16)
    assert (x == 1.5).all()
    assert scaled.signature_of(x, np.bool_(True), True, 16).split(", ")[1:3] == ["i1", "i1"]


def test_compile_error_has_place_excerpt_and_caret():
    with pytest.raises(tilewise.CompilationError) as caught:
        misspelt[(1,)](np.zeros(16, np.float32), 16)
    text = str(caught.value)
    assert text.startswith("at 3:21:\ndef misspelt(x_ptr, BLOCK: tl.constexpr):\n")
    assert "    tl.store(x_ptr + att, 1.0)\n                     ^\n" in text
    assert "'att' is not defined" in text


@tw.jit
def inner_mistake(x):
    return x + tl.arange(0, 7)


@tw.jit
def outer_mistake(x_ptr):
    tl.store(x_ptr, inner_mistake(1.0))


def test_an_error_in_a_called_function_is_the_cause_of_the_error_at_the_call():
    with pytest.raises(tilewise.CompilationError) as caught:
        outer_mistake[(1,)](np.zeros(16, np.float32))
    assert str(caught.value).startswith("at 2:20:")
    cause = caught.value.__cause__
    assert isinstance(cause, tilewise.CompilationError)
    assert str(cause).startswith("at 2:15:") and "power of 2" in str(cause)


def test_no_file_of_the_package_is_in_the_traceback():
    with pytest.raises(tilewise.CompilationError) as caught:
        misspelt[(1,)](np.zeros(16, np.float32), 16)
    files = {str(entry.path) for entry in caught.traceback}
    assert files == {__file__}


def test_a_plain_global_is_refused_with_the_way_out():
    with pytest.raises(tilewise.CompilationError, match=r"(?s)'PLAIN'.*tl.constexpr"):
        uses_plain_global[(1,)](np.zeros(1, np.float32))


def test_a_function_without_a_text_is_refused_and_can_be_given_one():
    namespace = {"tl": tl}
    text = "def nowhere(x_ptr):\n    tl.store(x_ptr, 3.0)\n"
    exec(text, namespace)
    with pytest.raises(ValueError, match="'nowhere' cannot be found.*source="):
        tw.jit(namespace["nowhere"])
    x = np.zeros(1, np.float32)
    tw.jit(source=text)(namespace["nowhere"])[(1,)](x)
    assert x[0] == 3


def test_launch_errors_name_the_argument():
    with pytest.raises(OverflowError, match="argument 'shift': an integer argument needs more than 64 bits"):
        scaled[(1,)](np.zeros(16, np.float32), 1.0, shift=1 << 70, BLOCK=16)
    with pytest.raises(tilewise.LaunchError, match="grid"):
        scaled[(1, 1, 1, 1)](np.zeros(16, np.float32), 1.0, 1.0, 16)
    with pytest.raises(KeyError, match="nonsense"):
        scaled[(1,)](np.zeros(16, np.float32), 1.0, 1.0, 16, nonsense=1)
    with pytest.raises(tilewise.LaunchError, match="BLOCK"):
        scaled[(1,)](np.zeros(16, np.float32), 1.0, 1.0)


def test_arrays_of_foreign_byte_order_are_refused():
    with pytest.raises(tilewise.LaunchError, match="byte order"):
        scaled[(1,)](np.zeros(16, ">f4"), 1.0, 1.0, 16)


def test_an_empty_grid_does_nothing(host_engine):
    x = np.ones(16, np.float32)
    scaled[(0,)](x, 2.0, 0.0, 16)
    assert (x == 1).all()


def test_second_launch_of_a_signature_compiles_nothing():
    kernel = make_adder(1)
    for n in (4, 8, 12):
        kernel[(1,)](np.zeros(16, np.float32), n, 16)
    count = kernel.compile_count
    kernel[(1,)](np.zeros(16, np.float32), 4, 16)
    assert kernel.compile_count == count
    kernel[(1,)](np.zeros(16, np.int32), 4, 16)
    assert kernel.compile_count == count + 1


def test_signature_and_stages():
    x = np.zeros(16, np.float32)
    signature = scaled.signature_of(x, 2.0, 7, 16)
    assert signature.startswith("*fp32") and signature.endswith("16")
    assert "tile.load" in scaled.emit("tile", signature)


def test_kernels_and_builtins_say_where_they_run():
    with pytest.raises(RuntimeError, match="outside of the scope of a kernel"):
        scaled(1)
    with pytest.raises(ValueError, match="tl.load runs only inside a kernel"):
        tl.load(1)


def test_a_kernel_is_no_function_of_python_s():
    # pytest takes what `__wrapped__` leads to for a test where a kernel is called test_...
    assert not hasattr(calls_helper, "__wrapped__")
    assert list(inspect.signature(calls_helper).parameters) == ["x_ptr", "n", "BLOCK"]
