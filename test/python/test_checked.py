"""Checked launches of the CPU engine: the reference engine's report, whatever holds the memory, and however the check was asked for."""

import os
import subprocess
import sys

import numpy as np
import pytest
import tilewise
import tilewise.language as tl


class Storage:
    def __init__(self, array):
        self.array = array

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.array.nbytes


class Tensor:
    """As torch's: its memory is behind its storage."""

    dtype = "float32"

    def __init__(self, array, begin=0):
        self.array, self.begin = array, begin

    def data_ptr(self):
        return self.array.ctypes.data + 4 * self.begin

    def untyped_storage(self):
        return Storage(self.array)


@tilewise.jit
def copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at))


def message(x, y, **options):
    with pytest.raises(tilewise.LaunchError) as told:
        copy[(1,)](x, y, BLOCK=128, **options)
    return str(told.value)


# Both lie in one array: without the check the launch would go through.
@pytest.mark.parametrize("of", [lambda array: array, Tensor], ids=["array", "tensor"])
def test_the_reference_engines_report(of):
    memory = np.zeros(256, np.float32)
    short, whole = of(memory[:100].copy()), of(memory[128:].copy())
    with tilewise.engine("reference"):
        expected = message(short, whole)
    assert "load outside of 'x_ptr': element 100 lies 4 bytes (1 element) after the last one, in program (0, 0, 0), lane (100)" in expected
    assert message(short, whole, checked=True) == expected
    assert "store outside of 'y_ptr': element 100" in message(whole, short, checked=True)
    copy[(1,)](whole, whole, BLOCK=128, checked=True)


def test_views_may_reach_their_storage():
    memory = np.arange(256, dtype=np.float32)
    out = np.zeros(128, np.float32)
    copy[(1,)](Tensor(memory, 100), out, BLOCK=128, checked=True)
    np.testing.assert_array_equal(out, memory[100:228])
    assert "element 128 lies 4 bytes" not in message(Tensor(memory, 200), out, checked=True)


def test_a_parameter_of_that_name_is_no_option():
    @tilewise.jit
    def store(x_ptr, checked):
        tl.store(x_ptr, checked)

    x = np.zeros(1, np.int32)
    store[(1,)](x, checked=7)
    assert x[0] == 7


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import test_checked
print(test_checked.message(test_checked.Tensor(test_checked.np.zeros(100, 'f4')), test_checked.np.zeros(128, 'f4')))
"""


def test_the_environment_asks_for_it():
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, "-c", SCRIPT, here], env={**os.environ, "TILEWISE_CHECKED": "1"}, capture_output=True, text=True)
    assert "load outside of 'x_ptr': element 100" in done.stdout, done.stderr
