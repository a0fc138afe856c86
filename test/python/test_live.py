"""Live functions: names resolve through globals and closures, helpers are other jit functions, errors point at the user's line."""

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
    assert scaled.signature(x, np.bool_(True), True, 16).split(", ")[1:3] == ["i1", "i1"]


def test_compile_error_shows_file_line_and_caret():
    with pytest.raises(tilewise.CompilationError) as caught:
        misspelt[(1,)](np.zeros(16, np.float32), 16)
    line = misspelt.fn.__code__.co_firstlineno + 3
    text = str(caught.value)
    assert f"test_live.py:{line}:22: error:" in text
    assert "'att'" in text
    assert "    tl.store(x_ptr + att, 1.0)\n" in text


def test_a_plain_global_is_refused_with_the_way_out():
    with pytest.raises(tilewise.CompilationError, match=r"(?s)'PLAIN'.*tl.constexpr"):
        uses_plain_global[(1,)](np.zeros(1, np.float32))


def test_a_function_without_a_text_is_refused():
    namespace = {}
    exec("def nowhere(x_ptr): pass", namespace)
    with pytest.raises(tilewise.LaunchError, match="'nowhere' cannot be found"):
        tw.jit(namespace["nowhere"])[(1,)](np.zeros(1))


def test_launch_errors_name_the_argument():
    with pytest.raises(tilewise.LaunchError, match="argument 1: .*'object'"):
        scaled[(1,)](object(), 1.0, 1.0, 16)
    with pytest.raises(tilewise.LaunchError, match="argument 'shift': an integer argument needs more than 64 bits"):
        scaled[(1,)](np.zeros(16, np.float32), 1.0, shift=1 << 70, BLOCK=16)
    with pytest.raises(tilewise.LaunchError, match="grid"):
        scaled[(1, 1, 1, 1)](np.zeros(16, np.float32), 1.0, 1.0, 16)
    with pytest.raises(tilewise.LaunchError, match="nonsense"):
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
    signature = scaled.signature(x, 2.0, 7, 16)
    assert signature.startswith("*fp32") and signature.endswith("16")
    assert "tile.load" in scaled.emit("tile", signature)


def test_kernels_and_builtins_say_where_they_run():
    with pytest.raises(RuntimeError, match=r"launch it with scaled\[grid\]"):
        scaled(1)
    with pytest.raises(RuntimeError, match="tl.load runs only inside a kernel"):
        tl.load(1)
