"""Bank conflicts of a kernel's shared memory, out of its PTX: the addresses that the lanes of each warp access, and how often the banks must be asked for them.

Shared memory has 32 banks of 4 bytes, which answer together; of different words in one bank only one comes at a time. A warp's access of up to 4 bytes a lane is one request, one of 8 or
16 bytes a lane is two or four (the lanes of a half or a quarter at a time), and each takes as many cycles as the fullest bank has different words:

    lanes 0 .. 31 at words 0, 1, 2, ..       1 cycle
    lanes 0 .. 31 at words 0, 32, 64, ..     32 cycles: a 32-way conflict
    all lanes at word 5                      1 cycle: one word is given to all

An address is arithmetic on the thread's number and on what all threads share (arguments, the program's number, a loop's step). What all share moves every lane alike, so it counts as 0, and a
register that a loop changes has its first value. Addresses that come from loaded values are known only while the kernel runs; they are counted apart.
"""

import re

import numpy

_ACCESS = re.compile(r"^(?:@(!?)(%p\d+)\s+)?((?:ld|st|atom|red)\.\S*shared\S*|cp\.async\.c[ag]\.shared\S*|[ls][dt]matrix\.\S+)\s+(.*)$")
_DEFINITION = re.compile(r"^(?:@!?%p\d+\s+)?([a-z]\w*(?:\.[\w:]+)*)\s+(%[a-z]+\d+)(?:\|%p\d+)?\s*,\s*(.*)$")
_ADDRESS = re.compile(r"\[(%?\w+)(?:\+(-?\d+))?\]")


_DATA = object()  # a value that comes from what was loaded


class _Addresses:
    """Values of a PTX kernel's registers in every thread of a program."""

    def __init__(self, lines, threads):
        self.threads = numpy.arange(threads, dtype=numpy.int64)
        self.definitions, self.values = {}, {}
        for line in lines:
            if found := _DEFINITION.match(line):
                self.definitions.setdefault(found[2], (found[1], [part.strip() for part in found[3].split(",")]))

    def of(self, operand):
        if re.fullmatch(r"-?\d+", operand):
            return numpy.int64(int(operand))
        if operand == "%tid.x":
            return self.threads
        if operand == "%laneid":
            return self.threads % 32
        if not re.fullmatch(r"%[a-z]+\d+", operand):
            return _DATA if operand.startswith("{") else numpy.int64(0)  # the address of shared memory, the program's number
        if operand not in self.definitions:
            return _DATA  # one of several results
        if operand not in self.values:
            self.values[operand] = None  # on the way: only a loop comes back to itself, with what all threads share
            self.values[operand] = self._compute(*self.definitions[operand])
        return numpy.int64(0) if self.values[operand] is None else self.values[operand]

    def _compute(self, name, operands):
        operation, *rest = name.split(".")
        if operation in ("ld", "atom", "shfl", "ldu", "tex", "vote", "match"):
            if operation == "ld" and rest[0] == "param":
                return numpy.int64(0)
            return _DATA
        values = [self.of(each) for each in operands]
        if any(each is _DATA for each in values):
            return _DATA
        bits = int(re.search(r"\d+$", rest[-1])[0]) if rest and re.search(r"\d+$", rest[-1]) else 1
        result = self._result(operation, rest, values)
        if result is None:  # of what all share it is the same in all threads, whatever it is
            return _DATA if any(numpy.ndim(each) for each in values) else numpy.int64(0)
        if "wide" in rest:
            bits *= 2
        if bits >= 64 or operation == "setp":
            return result
        result = result & ((1 << bits) - 1)
        return result - ((result >> (bits - 1)) << bits) if rest[-1].startswith("s") else result

    @staticmethod
    def _result(operation, rest, v):
        if operation in ("mov", "cvt", "cvta"):
            return v[0]
        if operation in ("add", "sub", "and", "or", "xor", "min", "max"):
            a, b = v
            return {"add": a + b, "sub": a - b, "and": a & b, "or": a | b, "xor": a ^ b, "min": numpy.minimum(a, b), "max": numpy.maximum(a, b)}[operation]
        if operation == "not":
            return v[0] ^ 1 if rest == ["pred"] else ~v[0]
        if operation == "neg":
            return -v[0]
        if operation == "shl":
            return v[0] << numpy.minimum(v[1], 62)
        if operation == "shr":
            return v[0] >> numpy.minimum(v[1], 62)
        if operation == "bfe":
            return v[0] >> v[1] & ((1 << v[2]) - 1)
        if operation == "mul" and "hi" not in rest:
            return v[0] * v[1]
        if operation == "mad" and "hi" not in rest:
            return v[0] * v[1] + v[2]
        if operation in ("div", "rem") and numpy.all(v[1] > 0) and numpy.all(v[0] >= 0):
            return v[0] // v[1] if operation == "div" else v[0] % v[1]
        if operation == "selp":
            return numpy.where(v[2] != 0, v[0], v[1])
        if operation == "setp" and rest[0] in ("eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"):
            a, b = v
            return numpy.int64(1) * {"eq": a == b, "ne": a != b, "lt": a < b, "lo": a < b, "le": a <= b, "ls": a <= b, "gt": a > b, "hi": a > b, "ge": a >= b, "hs": a >= b}[rest[0]]
        return None


def _bytes_of(name, operands):
    """How many bytes a lane accesses, and how many lanes give an address."""
    if "matrix" in name:
        return 16, 8 * int(re.search(r"\.x([124])\b", name)[1])
    if name.startswith("cp."):
        size = re.search(r"\],\s*(\d+)", operands)
        return int(size[1]) if size else 16, 32
    vector = re.search(r"\.v([24])\b", name)
    return int(re.search(r"\.[bfsu](\d+)$", name)[1]) // 8 * int(vector[1] if vector else 1), 32


def cycles(addresses, width):
    """(cycles, requests) of one access of a warp: the byte addresses of the lanes that take part, in order, None for those that do not."""
    lanes_at_once = 32 if width <= 4 else 128 // width
    taken = requests = 0
    for first in range(0, len(addresses), lanes_at_once):
        words = {address // 4 + word for address in addresses[first:first + lanes_at_once] if address is not None for word in range(-(-width // 4))}
        if words:
            banks = [0] * 32
            for word in words:
                banks[word % 32] += 1
            taken, requests = taken + max(banks), requests + 1
    return taken, requests


class Banks:
    """The accesses of a kernel to shared memory: how many there are, how many have conflicts, how long the worst takes, how many are at addresses from data."""

    def __init__(self, ptx, num_warps):
        lines = [line.strip().rstrip(";") for line in ptx.splitlines()]
        values = _Addresses(lines, 32 * num_warps)
        self.count = self.conflicting = self.from_data = 0
        self.worst = 1
        for line in lines:
            if found := _ACCESS.match(line):
                self._add(values, found)

    def _add(self, values, found):
        negated, predicate, name, operands = found.groups()
        self.count += 1
        register, offset = _ADDRESS.search(operands).groups()
        address = values.of(register)
        if address is _DATA or name.startswith(("atom", "red")):
            self.from_data += 1
            return
        width, giving = _bytes_of(name, operands)
        taking = values.of(predicate) if predicate else numpy.int64(1)
        taking = numpy.int64(1) if taking is _DATA or not numpy.ndim(taking) else taking ^ bool(negated)
        address, taking = numpy.broadcast_to(address + int(offset or 0), values.threads.shape), numpy.broadcast_to(taking, values.threads.shape)
        ways = 1
        for warp in range(0, len(values.threads), 32):
            lanes = [int(at) if takes else None for at, takes in zip(address[warp:warp + giving], taking[warp:warp + giving])]
            taken, requests = cycles(lanes, width)
            ways = max(ways, taken / requests if requests else 1)
        self.conflicting += ways > 1
        self.worst = max(self.worst, ways)

    def __str__(self):
        known = self.count - self.from_data
        text = f"    shared memory: {known} access{'' if known == 1 else 'es'}, "
        if self.conflicting:
            text += f"{self.conflicting} with bank conflicts, the worst takes {self.worst:g} times as long"
        else:
            text += "none with bank conflicts"
        return text + (f"; {self.from_data} more at addresses from loaded values" if self.from_data else "")
