"""A Python program against the installed package: one kernel, one launch, on memory of Python's own."""

import array

import tilewise
import tilewise.language as tl


class Floats:
    """Memory with an address and a type, without numpy."""

    def __init__(self, values):
        self.memory = array.array("f", values)
        self.__array_interface__ = {"data": (self.memory.buffer_info()[0], False), "typestr": "<f4", "shape": (len(values),), "version": 3}


@tilewise.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


x = Floats([1, 2, 3])
twice[(1,)](x, 3, BLOCK=4)
assert x.memory.tolist() == [2, 4, 6], x.memory
