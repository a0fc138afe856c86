"""dev/cross's program for a wheel of another architecture, in an emulator: kernels of every kind of loop on both engines of the host, against plain Python."""

import ctypes
import math
import platform
import random

import tilewise
import tilewise.language as tl


class Array:
    """Memory as numpy would offer it."""

    def __init__(self, values, shape, kind="f"):
        self.values = ({"f": ctypes.c_float, "i": ctypes.c_int32}[kind] * len(values))(*values)
        self.__array_interface__ = {"data": (ctypes.addressof(self.values), False), "shape": shape, "typestr": f"<{kind}4", "version": 3}


@tilewise.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


@tilewise.jit
def softmax(out_ptr, x_ptr, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    start = tl.program_id(0) * columns
    x = tl.load(x_ptr + start + at, mask=at < columns, other=-float("inf"))
    power = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + start + at, power / tl.sum(power, axis=0), mask=at < columns)


@tilewise.jit
def product(a_ptr, b_ptr, c_ptr, K, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        a = tl.load(a_ptr + at[:, None] * K + k + at[None, :])
        b = tl.load(b_ptr + (k + at[:, None]) * BLOCK + at[None, :])
        total = tl.dot(a, b, total)
    tl.store(c_ptr + at[:, None] * BLOCK + at[None, :], total)


@tilewise.jit
def counted(bins_ptr, x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(bins_ptr + x, 1)


def check():
    n, columns, rows, K = 1000, 77, 5, 64
    x, y = ([random.uniform(-1, 1) for _ in range(n)] for _ in range(2))
    given, other, out = Array(x, (n,)), Array(y, (n,)), Array([0] * n, (n,))
    add[(8,)](given, other, out, n, BLOCK=128)
    assert all(out.values[i] == ctypes.c_float(given.values[i] + other.values[i]).value for i in range(n))
    softmax[(rows,)](out, given, columns, BLOCK=128)
    for row in range(rows):
        powers = [math.exp(value) for value in given.values[row * columns:(row + 1) * columns]]
        assert all(abs(out.values[row * columns + i] - power / sum(powers)) < 1e-7 for i, power in enumerate(powers))
    a, b, c = (Array([random.uniform(-1, 1) for _ in range(count)], (count,)) for count in (16 * K, 16 * K, 256))
    product[(1,)](a, b, c, K, BLOCK=16)
    for i in range(16):
        for j in range(16):
            assert abs(c.values[16 * i + j] - sum(a.values[i * K + k] * b.values[k * 16 + j] for k in range(K))) < 1e-5
    bins, numbers = Array([0] * 8, (8,), "i"), [random.randrange(8) for _ in range(512)]
    counted[(16,)](bins, Array(numbers, (512,), "i"), BLOCK=32)
    assert list(bins.values) == [numbers.count(i) for i in range(8)]


for engine in ("cpu", "reference"):
    with tilewise.engine(engine):
        check()
try:
    add[(8,)](Array([0] * 8, (8,)), *[Array([0] * 8, (8,))] * 2, 4, BLOCK=100)
except tilewise.CompilationError as error:
    assert "power of two" in str(error), error
else:
    raise AssertionError("a wrong kernel was compiled")
print(f"tilewise {tilewise.__version__} on {platform.machine()}: kernels agree")
