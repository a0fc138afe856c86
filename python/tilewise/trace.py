"""What a kernel does to memory, access by access: which program reads and writes which elements of which argument, at which line.

The kernel runs line by line (interpreter mode), with tl.load, tl.store, atomics, arithmetic and dots watched on the way. It needs numpy. This is the
ground on which tilewise.analyze and the course's checker stand."""

import ast
import contextlib
import sys

from . import _native, language
from .language.values import tensor
from .runtime import interpreter
from .runtime.callable import JITCallable
from .runtime.interpreter import InterpretedFunction

SECTOR = 32  # bytes that a GPU moves at least; half of a CPU's line
_REDUCTIONS = {"sum", "max", "min", "argmax", "argmin", "xor_sum", "reduce", "cumsum", "cumprod", "associative_scan"}
_MATH = {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sqrt_rn", "div_rn", "sin", "cos", "erf", "sigmoid", "abs", "fma", "maximum", "minimum",
         "where", "floor", "ceil", "softmax", "clamp", "rand", "randn"}
_ATOMICS = {"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas"}


class Argument:
    """A tensor argument and what has happened to each of its elements."""

    def __init__(self, name, value):
        import numpy
        self.name, self.shape = name, tuple(int(extent) for extent in value.shape)
        self.dtype, self.address, self.bytes, self.before, _ = _native.memory(value)
        self.size = value.itemsize if hasattr(value, "itemsize") else value.element_size()
        count = max(self.bytes, 0) // self.size
        self.reads = numpy.zeros(count, bool)
        self.writer = numpy.full(count, -1, numpy.int64)  # the program that wrote last
        self.reader = numpy.full(count, -1, numpy.int64)  # the program that read first
        self.loaded = self.stored = self.loaded_sectors = self.stored_sectors = 0

    def holds(self, addresses):
        return bool(((addresses >= self.address) & (addresses < self.address + self.bytes)).all())

    @property
    def distinct_loaded(self):
        return int(self.reads.sum()) * self.size

    @property
    def distinct_stored(self):
        return int((self.writer >= 0).sum()) * self.size


class Overlap:
    """Two programs that wrote the same element."""

    def __init__(self, argument, element, first, second, line):
        self.argument, self.element, self.first, self.second, self.line = argument, element, first, second, line


class Trace:
    """What a launch did: arguments by name, overlaps, operations."""

    def __init__(self, grid):
        self.grid = grid
        self.arguments = {}
        self.overlaps = []
        self.operations = self.dot_operations = self.accesses = 0
        self.programs_that_stored = set()
        self.written = {}  # (argument, program) -> its first and last element
        self.sectors = {}  # program -> numbers of the sectors that each of its loads asks for

    def id_of(self, linear):
        """A program's id as it is written: 3, or (1, 2) in a grid of more dimensions."""
        x = linear % self.grid[0]
        y, z = linear // self.grid[0] % self.grid[1], linear // (self.grid[0] * self.grid[1])
        used = max(i for i in range(3) if i == 0 or self.grid[i] > 1) + 1
        return str(x) if used == 1 else str((x, y, z)[:used])

    # Called for each access.

    def access(self, kind, pointer, mask, line):
        import numpy
        self.accesses += 1
        if not isinstance(pointer, tensor):
            return  # a block pointer or descriptor
        addresses = numpy.atleast_1d(pointer.numpy())
        if mask is not None:
            chosen = mask.numpy() if isinstance(mask, tensor) else numpy.asarray(bool(mask))
            addresses, chosen = numpy.broadcast_arrays(addresses, chosen)
            addresses = addresses[chosen]
        addresses = addresses.ravel().astype(numpy.int64)
        if addresses.size == 0:
            return
        # Views of one storage: the one that begins last before the access.
        found = max((each for each in self.arguments.values() if each.holds(addresses)), key=lambda each: each.address, default=None)
        if found is None:
            return  # the interpreter says what is wrong with it
        elements = (addresses - found.address) // found.size
        touched = numpy.unique(addresses // SECTOR)
        sectors = touched.size * SECTOR
        program = self.program()
        if kind != "store":
            self.sectors.setdefault(program, []).append(touched)
            found.loaded += elements.size * found.size
            found.loaded_sectors += sectors
            fresh = ~found.reads[elements]
            found.reader[elements[fresh]] = program
            found.reads[elements] = True
        if kind != "load":
            found.stored += elements.size * found.size
            found.stored_sectors += sectors
            before = found.writer[elements]
            others = (before >= 0) & (before != program)
            if kind == "store" and others.any() and len(self.overlaps) < 100:
                at = int(numpy.argmax(others))
                self.overlaps.append(Overlap(found.name, int(elements[at]), int(before[at]), program, line))
            found.writer[elements] = program
            low, high = self.written.get((found.name, program), (elements[0], elements[0]))
            self.written[found.name, program] = (min(int(low), int(elements.min())), max(int(high), int(elements.max())))
            self.programs_that_stored.add(program)

    def program(self):
        ids = [int(_program_id(axis)) for axis in range(3)]
        return ids[0] + self.grid[0] * (ids[1] + self.grid[1] * ids[2])


_program_id = language.program_id


def _elements_of(value):
    if isinstance(value, tensor):
        count = 1
        for extent in value.shape:
            count *= extent
        return count if value.dtype.is_floating() else 0
    return 0


def _argument_of(arguments, named, position, name):
    return named[name] if name in named else arguments[position] if len(arguments) > position else None


def _watchers(trace):
    """The language's functions, watched: name -> function."""

    def line():
        return sys._getframe(2).f_lineno

    def load(*arguments, **named):
        trace.access("load", _argument_of(arguments, named, 0, "pointer"), _argument_of(arguments, named, 1, "mask"), line())
        return originals["load"](*arguments, **named)

    def store(*arguments, **named):
        trace.access("store", _argument_of(arguments, named, 0, "pointer"), _argument_of(arguments, named, 2, "mask"), line())
        return originals["store"](*arguments, **named)

    def atomic(name):
        position = 3 if name == "atomic_cas" else 2

        def watched(*arguments, **named):
            mask = None if name == "atomic_cas" else _argument_of(arguments, named, position, "mask")
            trace.access("atomic", _argument_of(arguments, named, 0, "pointer"), mask, line())
            return originals[name](*arguments, **named)

        return watched

    def dot(*arguments, **named):
        result = originals["dot"](*arguments, **named)
        left = _argument_of(arguments, named, 0, "input")
        count = 2 * left.shape[-1]
        for extent in result.shape:
            count *= extent
        trace.operations += count
        trace.dot_operations += count
        return result

    def counted(name):

        def watched(*arguments, **named):
            result = originals[name](*arguments, **named)
            trace.operations += max([_elements_of(result), *map(_elements_of, arguments)]) if name in _REDUCTIONS else _elements_of(result)
            return result

        return watched

    originals = {name: getattr(language, name) for name in {"load", "store", "dot", *_ATOMICS, *_MATH, *_REDUCTIONS} if hasattr(language, name)}
    made = {"load": load, "store": store, "dot": dot}
    made.update({name: atomic(name) for name in _ATOMICS if name in originals})
    made.update({name: counted(name) for name in (_MATH | _REDUCTIONS) if name in originals})
    return originals, made


class _Counter(interpreter._Rewriter):
    """The interpreter's rewriting, and arithmetic that counts itself."""

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return ast.copy_location(self._call("__tilewise_counted", node, node), node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name):
            value = ast.copy_location(ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value), node)
            return ast.copy_location(ast.Assign([node.target], self._call("__tilewise_counted", node, value)), node)
        return node


@contextlib.contextmanager
def _watching(trace, kernel):
    """The language's functions replaced by watched ones, and functions that the kernel calls by interpreted ones."""
    originals, made = _watchers(trace)

    def counted(value):
        trace.operations += _elements_of(value)
        return value

    module = kernel.fn.__globals__
    # `from triton.language import load` and helpers that are compiled functions elsewhere.
    changed = {name: value for name, value in module.items() if isinstance(value, JITCallable) and not isinstance(value, InterpretedFunction)}
    rewriter = interpreter._Rewriter
    interpreter._Rewriter = _Counter
    interpreter._HELPERS["__tilewise_counted"] = counted
    try:
        for name, function in made.items():
            setattr(language, name, function)
        for name, value in changed.items():
            module[name] = InterpretedFunction(value.fn)
        # Bodies that were rewritten before, or would be kept after: made anew.
        bodies = [(value, value._body) for value in module.values() if isinstance(value, InterpretedFunction)]
        for value, _ in bodies:
            value._body = None
        run = InterpretedFunction(kernel.fn)
        yield run
    finally:
        for value, body in bodies:
            value._body = body
        for name, function in originals.items():
            setattr(language, name, function)
        module.update(changed)
        interpreter._Rewriter = rewriter
        del interpreter._HELPERS["__tilewise_counted"]


def trace(kernel, grid, *arguments, **named):
    """Launches a kernel line by line and gives the Trace of it. The arguments are changed as by a launch."""
    if not isinstance(kernel, JITCallable):
        raise TypeError(f"trace takes a function decorated with triton.jit, got {type(kernel).__name__}")
    bound = kernel.signature.bind(*arguments, **{key: value for key, value in named.items() if key in kernel.signature.parameters})
    bound.apply_defaults()
    if callable(grid):
        grid = grid(dict(bound.arguments))
    grid = tuple(int(extent) for extent in (grid if isinstance(grid, (tuple, list)) else (grid,)))
    result = Trace(grid + (1,) * (3 - len(grid)))
    for name, value in bound.arguments.items():
        if hasattr(value, "__array_interface__") or hasattr(value, "data_ptr"):
            result.arguments[name] = Argument(name, value)
    with _watching(result, kernel) as run:
        run.run(*arguments, grid=grid, **named)
    return result
