"""The compiler's warnings are Python's, with the kernel's line; they can be switched off and made errors."""

import numpy
import pytest
import tilewise
import tilewise.language as tl
import warnings


@tilewise.jit
def forgetful(in_ptr, out_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)  # noqa: F841
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(in_ptr + at, mask=at < n), mask=at < n)


@pytest.fixture(autouse=True)
def as_before():
    yield
    tilewise.set_warnings("")


def launch(block):
    forgetful[(2,)](numpy.ones(16, numpy.float32), numpy.zeros(16, numpy.float32), 16, BLOCK=block)


def test_warning_has_the_line_and_the_way_out():
    with pytest.warns(UserWarning, match=r"test_warnings\.py:\d+:\d+: warning: every program stores to the same addresses"):
        launch(16)


def test_warning_is_switched_off():
    tilewise.set_warnings("no-same-address-store")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch(32)


def test_warning_becomes_an_error():
    tilewise.set_warnings("error")
    with pytest.raises(tilewise.CompilationError, match="every program stores to the same addresses"):
        launch(64)


def test_unknown_warning_is_refused():
    with pytest.raises(tilewise.LaunchError, match="unknown warning 'no-such'"):
        tilewise.set_warnings("no-such")


def test_line_by_line_there_are_none():
    interpreted = tilewise.jit(forgetful.fn, interpret=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interpreted[(2,)](numpy.ones(16, numpy.float32), numpy.zeros(16, numpy.float32), 16, BLOCK=8)
