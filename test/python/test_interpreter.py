"""Interpreter mode: kernels run line by line under Python, with the meaning and the errors of compiled ones."""

import re
import subprocess
import sys
import textwrap
import threading
import traceback
import warnings

import numpy as np
import pytest

import tilewise as triton
import tilewise.language as tl


def interpreted(fn):
    return triton.jit(fn, interpret=True)


@interpreted
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def test_every_program_of_the_grid_runs():
    n = 1000
    x, y = np.random.rand(2, n).astype(np.float32)
    out = np.full(n, np.nan, np.float32)
    add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=64)
    np.testing.assert_array_equal(out, x + y)


@interpreted
def scaled(value, factor):
    return value * factor


@interpreted
def softmax_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=mask, other=-float("inf"))
    exponentials = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, scaled(exponentials, 1 / tl.sum(exponentials, axis=0)), mask=mask)


def test_functions_call_functions_and_the_library_reduces():
    x = np.random.randn(5, 13).astype(np.float32)
    out = np.empty_like(x)
    softmax_kernel[(5,)](x, out, 13, BLOCK=16)
    expected = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, expected / expected.sum(1, keepdims=True), rtol=1e-6)


@interpreted
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        depth = k * BK + tl.arange(0, BK)
        x = tl.load(a + rows[:, None] * K + depth[None, :], mask=(rows[:, None] < M) & (depth[None, :] < K), other=0.0)
        y = tl.load(b + depth[:, None] * N + columns[None, :], mask=(depth[:, None] < K) & (columns[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rows[:, None] * N + columns[None, :], acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


def test_loops_and_dots():
    a, b = np.random.rand(33, 40).astype(np.float32), np.random.rand(40, 17).astype(np.float32)
    c = np.full((33, 17), np.nan, np.float32)
    matmul_kernel[(3, 2)](a, b, c, 33, 17, 40, BM=16, BN=16, BK=16)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5)


def test_values_print_as_numpy_prints_them(capsys):
    @interpreted
    def kernel(n, BLOCK: tl.constexpr):
        offsets = tl.arange(0, BLOCK)
        half = 0.5
        print(f"n {n} {n:3d} block {offsets} half {half} {half.dtype} {offsets[:, None].shape}")

    kernel[(1,)](7, BLOCK=4)
    assert capsys.readouterr().out == "n 7   7 block [0 1 2 3] half 0.5 fp32 (4, 1)\n"


def test_assigned_numbers_and_loop_variables_are_scalars_as_in_compiled_kernels():
    seen = {}

    @interpreted
    def kernel(BLOCK: tl.constexpr):
        count = 3
        kept: tl.constexpr = 4
        rows: tl.constexpr
        rows, columns = (2, 4)
        tl.zeros((rows, BLOCK), tl.float32)
        a, b = 1, 2.0
        for i in range(2):
            last = i
        for j in tl.static_range(2):
            static = type(j)
        seen.update(count=count.dtype, kept=type(kept), a=a.dtype, b=b.dtype, last=last.dtype, static=static, block=type(BLOCK))

    kernel[(1,)](BLOCK=4)
    assert seen == dict(count=tl.int32, kept=int, a=tl.int32, b=tl.float32, last=tl.int32, static=int, block=int)


def test_plain_functions_closures_and_globals_are_live():
    calls = []

    def look(value):
        calls.append(int(value))

    @interpreted
    def kernel():
        look(tl.program_id(0) + 10)

    kernel[(3,)]()
    assert calls == [10, 11, 12]


def test_conditions_are_scalars():
    @interpreted
    def kernel(out):
        if tl.program_id(0) == 1:
            tl.store(out, 5)
        while tl.load(out) < 7:
            tl.store(out, tl.load(out) + 1)

    out = np.zeros(1, np.int32)
    kernel[(2,)](out)
    assert out[0] == 7

    @interpreted
    def wrong():
        if tl.arange(0, 4) > 2:
            pass

    with pytest.raises(triton.InterpreterError, match="needs a scalar"):
        wrong[(1,)]()


def test_an_error_is_told_at_the_line_of_the_kernel():
    @interpreted
    def kernel(x_ptr):
        offsets = tl.arange(0, 8)
        tl.load(x_ptr + offsets, other=1)

    with pytest.raises(triton.InterpreterError, match="'other' without 'mask'") as caught:
        kernel[(1,)](np.zeros(8, np.float32))
    frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert frames[-1].line == "tl.load(x_ptr + offsets, other=1)"


def test_assertions_look_at_every_element():
    @interpreted
    def kernel(limit):
        assert tl.arange(0, 8) < limit, "too small"

    kernel[(1,)](8)
    with pytest.raises(triton.InterpreterError, match="too small"):
        kernel[(1,)](7)

    @interpreted
    def masked(limit, count):
        at = tl.arange(0, 8)
        tl.device_assert(at < limit, "masked", mask=at < count)

    masked[(1,)](7, 7)
    with pytest.raises(triton.InterpreterError, match="masked"):
        masked[(1,)](7, 8)


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint32", "bool"])
def test_element_types(name):
    @interpreted
    def kernel(x, out):
        offsets = tl.arange(0, 4)
        tl.store(out + offsets, tl.load(x + 3 - offsets))

    x = np.array([0, 1, 2, 3]).astype(name)
    out = np.zeros_like(x)
    kernel[(1,)](x, out)
    np.testing.assert_array_equal(out, x[::-1])


def test_an_access_outside_of_its_tensor_names_it():
    @interpreted
    def kernel(x, y):
        tl.load(y + tl.arange(0, 4))
        tl.load(x + tl.arange(0, 8))

    memory = np.zeros(64, np.float32)
    with pytest.raises(triton.InterpreterError, match="load outside of 'x'") as caught:
        kernel[(1,)](np.zeros(7, np.float32), memory[:4])
    assert "lane (7)" in str(caught.value)
    # A view may touch the storage that it is a view of.
    kernel[(1,)](memory[8:12], memory[:4])


def test_the_variable_that_tutorials_print_is_taken_with_a_note(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRETER", "1")
    monkeypatch.setattr(triton.knobs.env_interpret, "told", False)
    with pytest.warns(UserWarning, match="TRITON_INTERPRET"):
        @triton.jit
        def kernel(out):
            tl.store(out, 3)
    assert type(kernel).__name__ == "InterpretedFunction"


FACTOR = 2


@interpreted
def scaled_sum(a, b):
    return a + b * FACTOR


def test_a_function_of_a_reduction_sees_the_globals_of_its_launch():
    global FACTOR

    @interpreted
    def kernel(out):
        tl.store(out + tl.program_id(0), tl.reduce(tl.arange(0, 2) + 1, 0, scaled_sum))

    out = np.zeros(3, np.int32)
    try:
        for FACTOR in (tl.constexpr(2), tl.constexpr(5)):
            kernel[(3,)](out)
            assert out.tolist() == [1 + 2 * FACTOR.value] * 3
    finally:
        FACTOR = 2


def test_a_launch_inside_a_kernel_comes_back_to_its_program():
    @interpreted
    def inner(out):
        tl.store(out + tl.program_id(0), 10 * tl.num_programs(0))

    out, other = np.zeros(3, np.int32), np.zeros(2, np.int32)

    @interpreted
    def program(out):
        inner[(2,)](other)
        tl.store(out + tl.program_id(0), tl.program_id(0) + tl.num_programs(0))

    program[(3,)](out)
    assert out.tolist() == [3, 4, 5] and other.tolist() == [20, 20]


def test_threads_have_their_own_programs():
    @interpreted
    def kernel(out, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, at + tl.num_programs(0))

    outs = [np.zeros(64 * 8, np.int32) for _ in range(4)]
    threads = [threading.Thread(target=lambda out=out, n=n: kernel[(n,)](out, BLOCK=8)) for out, n in zip(outs, (64, 32, 16, 8))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for out, n in zip(outs, (64, 32, 16, 8)):
        assert out[:8 * n].tolist() == list(range(n, 9 * n))


def test_values_outside_of_a_kernel_say_so():
    kept = []

    @interpreted
    def kernel():
        kept.append(tl.arange(0, 4))

    kernel[(1,)]()
    with pytest.raises(RuntimeError, match="only while a kernel runs"):
        kept[0] + 1


def test_kernels_print_to_pythons_standard_output_in_order(capsys):
    @interpreted
    def kernel(x):
        print("first")
        tl.device_print("value", tl.load(x))
        print("last")

    kernel[(1,)](np.array([7], np.int32))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "first" and lines[-1] == "last" and len(lines) == 3 and "value" in lines[1] and lines[1].endswith("7")

    @triton.jit
    def compiled(x):
        tl.device_print("value", tl.load(x))

    print("before")
    with triton.engine("reference"):
        compiled[(1,)](np.array([8], np.int32))
    print("after")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "before" and lines[-1] == "after" and lines[1].endswith("8") and len(lines) == 3


def test_warnings_are_shown_at_the_kernels_line_once():
    @interpreted
    def kernel(out):
        x = tl.arange(0, 4)
        tl.store(out + x, tl.where(x, 1, 2))

    out = np.zeros(4, np.int32)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        kernel[(5,)](out)
    assert out.tolist() == [2, 1, 1, 1]
    assert len(caught) == 1 and "expects a bool condition" in str(caught[0].message)
    assert caught[0].filename == __file__ and caught[0].lineno == kernel.starting_line_number + 3


LIMIT = 3
ALLOWED = tl.constexpr(4)


@interpreted
def reads_globals(x, WHICH: tl.constexpr):
    if WHICH == 0:
        tl.store(x, LIMIT)
    elif WHICH == 1:
        tl.store(x, ALLOWED)
    else:
        tl.store(x, WHICHEVER)  # noqa: F821 (the mistake)


def test_a_global_number_is_refused_as_in_compiled_kernels(monkeypatch):
    x = np.zeros(1, np.int32)
    with pytest.raises(triton.InterpreterError, match="Cannot access global variable 'LIMIT' from within a kernel"):
        reads_globals[(1,)](x, 0)
    reads_globals[(1,)](x, 1)
    assert x[0] == 4
    monkeypatch.setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")
    triton.jit(interpret=True)(reads_globals.fn)[(1,)](x, 0)
    assert x[0] == 3


NAME = "left"


def test_a_refused_global_is_told_in_the_words_of_the_compiler():
    @triton.jit
    def compiled(x):
        tl.store(x, 1 if NAME == "left" else 2)

    told = []
    for kernel in (compiled, triton.jit(interpret=True)(compiled.fn)):
        with pytest.raises(triton.TritonError) as caught:
            kernel[(1,)](np.zeros(1, np.int32))
        told.append(re.search(r"Cannot access global variable .* = tl.constexpr\(.*?\)", str(caught.value))[0])
    assert told[0] == told[1] and "'NAME'" in told[0] and "left" in told[0]


def rules(out, wide: tl.int64, narrow, flag, at, BLOCK: tl.constexpr):
    """Where Python and the language differ, each stored under its own number."""
    lanes = tl.arange(0, BLOCK)
    for i in range(wide):
        tl.store(out + 0, i.dtype == tl.int64)
    for i in tl.range(3, 0, -1):
        tl.store(out + 1, tl.load(out + 1) * 10 + i)
    pair = (1, 2.5)
    tl.store(out + 2, pair[0].dtype == tl.int32)
    tl.store(out + 3, pair[1].dtype == tl.float32)
    both = flag and tl.load(at) > 0
    tl.store(out + 4, both.dtype == tl.int1)
    tl.store(out + 5, (not flag).dtype == tl.int1)
    either = flag or narrow > 1
    tl.store(out + 6, either.dtype == tl.int1)
    tl.store(out + 7, min(wide, narrow).dtype == tl.int64)
    tl.store(out + 8, tl.sum(max(lanes, 2) * 1))
    for i in range(narrow, 5):
        tl.store(out + 9, tl.load(out + 9) + (i.dtype == tl.int32))


def test_the_rules_are_those_of_compiled_kernels():
    results = []
    for jit in (triton.jit, triton.jit(interpret=True)):
        out = np.zeros(16, np.int32)
        jit(rules)[(1,)](out, 3, 2, True, np.ones(1, np.int32), BLOCK=4)
        results.append(out.tolist())
    assert results[0] == results[1]
    assert results[0][1] == 321


@pytest.mark.parametrize("text, words", [("range(0, 4, 0)", "step must not be 0"), ("range(1.5)", "a loop's bounds are scalar ints"),
                                         ("tl.range(x)", "load the number with tl.load"), ("tl.static_range(tl.program_id(0))", "")])
def test_loops_complain_as_compiled_ones(text, words, tmp_path):
    file = tmp_path / "kernels.py"
    file.write_text(f"import tilewise.language as tl\ndef kernel(x):\n    for i in {text}:\n        tl.store(x, i)\n")
    scope = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    for jit in (triton.jit, triton.jit(interpret=True)):
        with pytest.raises(triton.TritonError, match=words):
            jit(scope["kernel"])[(1,)](np.zeros(1, np.int32))


def test_an_unknown_name_is_told_with_the_one_that_was_meant():
    with pytest.raises(triton.InterpreterError, match="'WHICHEVER' is not defined.*; did you mean 'WHICH'?"):
        reads_globals[(1,)](np.zeros(1, np.int32), 2)


def test_a_debugger_stops_in_the_kernel_and_shows_its_values(tmp_path):
    script = tmp_path / "stepped.py"
    script.write_text(textwrap.dedent("""
        import numpy as np
        import tilewise as triton
        import tilewise.language as tl

        @triton.jit(interpret=True)
        def kernel(x, BLOCK: tl.constexpr):
            at = tl.arange(0, BLOCK)
            breakpoint()
            doubled = tl.load(x + at) * 2
            tl.store(x + at, doubled)

        x = np.arange(4, dtype=np.int32)
        kernel[(1,)](x, BLOCK=4)
        print(x)
    """))
    done = subprocess.run([sys.executable, script], input="p at + 1\nn\nn\np doubled\nwhere\nc\n", capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert "-> doubled = tl.load(x + at) * 2" in done.stdout or "-> breakpoint()" in done.stdout
    assert "(Pdb) [1 2 3 4]" in done.stdout and "(Pdb) [0 2 4 6]" in done.stdout
    assert f"{script}(10)kernel()" in done.stdout or f"{script}(11)kernel()" in done.stdout
    assert done.stdout.endswith("[0 2 4 6]\n")


def test_a_kernel_can_be_given_by_its_text():
    text = "def kernel(x):\n    count = 3\n    tl.store(x, count + 1)\n"
    scope = {"tl": tl}
    exec(text, scope)
    out = np.zeros(1, np.int32)
    kernel = triton.jit(scope["kernel"], interpret=True, source=text)
    kernel[(1,)](out)
    assert out[0] == 4 and "__tilewise_assigned" in kernel.body.__code__.co_freevars


def test_pythons_functions_that_kernels_may_name_take_blocks():
    @interpreted
    def kernel(out):
        a = tl.arange(0, 4) - 2
        tl.store(out + tl.arange(0, 4), abs(a) + 10 * max(a, 0) + 100 * min(a, tl.program_id(0), 1) + max(1, 2) * 1000)

    out = np.zeros(4, np.int32)
    kernel[(1,)](out)
    assert out.tolist() == [2000 + 2 - 200, 2000 + 1 - 100, 2000, 2000 + 11]


def test_what_a_block_does_not_have_is_an_attribute_error():
    @interpreted
    def kernel(x):
        values = tl.load(x + tl.arange(0, 4))
        assert not hasattr(values, "nowhere") and hasattr(values, "sum")
        values.nowhere()

    with pytest.raises(triton.InterpreterError, match="AttributeError.*nowhere"):
        kernel[(1,)](np.zeros(4, np.float32))


def logic(out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    even, low = at % 2 == 0, at < n
    both = even and low and at > 0
    either = low or not even
    # The right side of what is known is not looked at.
    known = BLOCK == 8 or at[None, None]
    tl.store(out_ptr + at, tl.where(both, 1, 0) + tl.where(either, 2, 0) + (4 if known and n > 0 else 0))


@pytest.mark.parametrize("interpret", [False, True])
def test_and_or_not_of_blocks(interpret):
    out = np.zeros(8, np.int32)
    triton.jit(interpret=interpret)(logic)[(1,)](out, 4, BLOCK=8)
    assert out.tolist() == [6, 6, 7, 6, 4, 6, 4, 6]


def test_and_of_blocks_of_numbers_is_refused():

    @triton.jit(interpret=True)
    def wrong(out_ptr):
        at = tl.arange(0, 8)
        tl.store(out_ptr + at, tl.where(at and at, 1, 0))

    with pytest.raises(triton.runtime.errors.InterpreterError, match="'and' needs bools"):
        wrong[(1,)](np.zeros(8, np.int32))
