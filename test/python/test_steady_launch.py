"""Launches that no longer pass through JITFunction.run (python/native/SteadyLaunch.cpp) do and notice what others do."""
import numpy
import pytest
import tilewise
import tilewise.language as tl
from tilewise import knobs
from tilewise.errors import LaunchError, WrongOption
from tilewise.options import Options
from tilewise.runtime.jit import JITFunction

SCALE: tl.constexpr = tl.constexpr(2)


@tilewise.jit
def shifted(x, n, by, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + by, mask=at < n)


@tilewise.jit
def scaled(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) * SCALE)


@tilewise.jit
def asserting(x, n):
    tl.device_assert(n < 5, "n is too large")
    tl.store(x, n)


@pytest.fixture
def runs(monkeypatch):
    """How often JITFunction.run has read a launch's options since."""
    calls, inner = [], Options.take.__func__
    monkeypatch.setattr(Options, "take", classmethod(lambda cls, *arguments: calls.append(arguments) or inner(cls, *arguments)))
    return calls


def warm(kernel, *arguments, grid=(1,), **named):
    """The first launch compiles, the second finds that, the third remembers it, the fourth is steady."""
    for _ in range(4):
        result = kernel[grid](*arguments, **named)
    return result


def test_the_fourth_launch_is_steady_and_gives_the_compiled_kernel(runs):
    x = numpy.zeros(40, numpy.float32)
    kernels = [shifted[lambda meta: (tilewise.cdiv(meta["n"], meta["BLOCK"]),)](x, 40, 1.0, BLOCK=16) for _ in range(5)]
    assert len(runs) == 3 and (x == 5).all()
    assert all(kernel is kernels[0] for kernel in kernels)
    # Other values serve as well; another variant is compiled first.
    shifted[(3,)](x, 40, -5.0, 16)
    assert (x == 0).all()
    before = len(runs)
    y = numpy.zeros(40, numpy.int32)
    for _ in range(5):
        shifted[(3,)](y, 40, 1, BLOCK=16)
    assert (y == 5).all() and before < len(runs) <= before + 3


def test_options_are_known_by_their_values(runs):
    x = numpy.zeros(16, numpy.float32)
    warm(shifted, x, 16, 1.0, BLOCK=16, num_warps=2)
    before = len(runs)
    assert shifted[(1,)](x, 16, 1.0, BLOCK=16, num_warps=2).metadata.num_warps == 2
    assert len(runs) == before
    assert shifted[(1,)](x, 16, 1.0, BLOCK=16, num_warps=8).metadata.num_warps == 8
    assert len(runs) == before + 1
    with pytest.raises(WrongOption, match="power of 2"):
        shifted[(1,)](x, 16, 1.0, BLOCK=16, num_warps=3)
    with pytest.raises(KeyError, match="nothing"):
        shifted[(1,)](x, 16, 1.0, BLOCK=16, nothing=3)


def test_hooks_that_come_later_are_told(runs):
    x = numpy.zeros(16, numpy.float32)
    warm(shifted, x, 16, 1.0, 16)
    told = []
    hook = lambda launch: told.append(launch.get()["name"])  # noqa: E731
    knobs.runtime.launch_enter_hook.add(hook)
    try:
        shifted[(1,)](x, 16, 1.0, 16)
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    assert told == ["shifted"]
    seen = []
    shifted.add_pre_run_hook(lambda *arguments, **named: seen.append(arguments[1]))
    try:
        shifted[(1,)](x, 16, 1.0, 16)
    finally:
        shifted.pre_run_hooks.clear()
    assert seen == [16] and (x == 6).all()


def test_settings_that_change_later_count(monkeypatch):
    x = numpy.zeros(1, numpy.int32)
    warm(asserting, x, 7)
    assert x[0] == 7
    for change in (lambda: monkeypatch.setenv("TRITON_DEBUG", "1"), lambda: monkeypatch.setattr(asserting, "debug", True)):
        change()
        with pytest.raises(RuntimeError, match="n is too large"):
            asserting[(1,)](x, 7)
        monkeypatch.undo()
    asserting[(1,)](x, 7)


def test_a_global_that_has_changed_is_noticed(monkeypatch):
    x = numpy.ones(16, numpy.float32)
    warm(scaled, x, 16)
    assert (x == 16).all()
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(3))
    with pytest.raises(RuntimeError, match="SCALE has changed"):
        scaled[(1,)](x, 16)


def test_mistakes_are_told_as_before():
    x = numpy.zeros(16, numpy.float32)
    warm(shifted, x, 16, 1.0, 16)
    with pytest.raises(LaunchError, match="missing 'BLOCK'"):
        shifted[(1,)](x, 16, 1.0)
    with pytest.raises(LaunchError, match="takes 4 arguments, got 5"):
        shifted[(1,)](x, 16, 1.0, 16, 17)
    with pytest.raises(LaunchError, match="BLOCK"):
        shifted[(1,)](x, 16, 1.0, 16, BLOCK=16)
    with pytest.raises(LaunchError, match="a grid is one to three integers"):
        shifted["no grid"](x, 16, 1.0, 16)

    def grid(meta):
        raise LookupError("no such size")

    with pytest.raises(LookupError, match="no such size"):
        shifted[grid](x, 16, 1.0, 16)


def test_a_run_of_ones_own_is_called(monkeypatch):
    x = numpy.zeros(16, numpy.float32)
    warm(shifted, x, 16, 1.0, 16)
    calls = []
    monkeypatch.setitem(shifted.__dict__, "run", lambda *arguments, **named: calls.append(named["grid"]))
    shifted[(1,)](x, 16, 1.0, 16)
    monkeypatch.undo()
    monkeypatch.setattr(JITFunction, "run", lambda self, *arguments, **named: calls.append(named["grid"]))
    shifted[(2,)](x, 16, 1.0, 16)
    assert calls == [(1,), (2,)] and (x == 4).all()
