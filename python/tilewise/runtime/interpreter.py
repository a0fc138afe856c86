"""Interpreter mode: the kernel's Python body runs line by line under CPython, for one program after another.

Every operation on a kernel's values is an expression of the kernel language that the reference engine evaluates at once, so that results and
errors are those of compiled kernels. The body itself is Python: `print`, `breakpoint()` and plain functions work in it. Some things of the
body are rewritten to mean what they mean in compiled kernels: assigned numbers become scalars, the variable of a loop over `range` is a scalar,
`assert` looks at every element, `min`, `max`, `and`, `or` and `not` take blocks, and globals that are no constexpr are refused. Whether and how is
the native side's answer: what is here only asks."""

import ast
import builtins
import difflib
import inspect
import textwrap
import threading
import types

from .. import _native, engines, knobs
from .._utils import canonicalize_dtype
from ..language import values as _values
from ..language.values import Extents, tensor
from ..language.types import constexpr, unwrap
from ..options import Options
from . import recording
from .errors import InterpreterError
from .jit import JITCallable, KernelInterface, KernelParam
from .resolver import Resolver


class _Range:
    """What a loop counts: the numbers, and the type of its variable; None where they stay numbers."""

    def __init__(self, numbers, variable):
        self.numbers = numbers
        self.variable = variable


def _range(*bounds, **options):
    from .. import language
    start, end, step, variable = _native.interpreter_apply("a", language.range, *bounds, **options)
    return _Range(builtins.range(int(start), int(end), int(step)), variable)


def _static_range(*bounds, **options):
    from .. import language
    return _Range(_native.interpreter_apply("a", language.static_range, *bounds, **options), None)


def _static_assert(condition, message=""):
    assert unwrap(condition), message


# What the body's Python does by itself, or goes on with: a loop counts in Python.
_PYTHON = {"range": _range, "static_range": _static_range, "static_print": print, "static_assert": _static_assert}


class _Names(Resolver):
    """What the values in an expression are, and what comes back of it."""

    def __init__(self):
        from ..language import to_tensor
        self.to_tensor = to_tensor

    def lookup(self, name):
        raise KeyError(name)

    def names(self):
        return []

    def describe(self, value):
        if isinstance(value, Extents):
            return "constexpr", tuple(value)
        return super().describe(value)

    def python(self, function):
        """What Python does when the body calls this function of the language; None when the interpreter does it."""
        return _PYTHON.get(function.__name__)

    def fail(self, message):
        raise InterpreterError(message) from ValueError(message)


class _Sessions(threading.local):
    """A thread's interpreter, kept from launch to launch."""

    def __init__(self):
        self.native = _native.interpreter_create(_Names())


_sessions = _Sessions()
_assigned = _native.interpreter_assigned


def _assigned_items(value):
    """The same for `a, b = value`, where a list is as good as a tuple."""
    return _assigned(tuple(value) if type(value) is list else value)


def _loop(items):
    """What a `for` runs over."""
    if isinstance(items, builtins.range):
        return map(_assigned, items)
    if not isinstance(items, _Range):
        return items
    if items.variable is None:
        return items.numbers
    argument, kind = _sessions.native.argument, items.variable.name
    return (argument(kind, number & (2**64 - 1)) for number in items.numbers)


def _refuse(name, reason):
    raise NameError(reason, name=name)


def _did_you_mean(error):
    """For a name that is not defined, or only globally: the variable of the kernel that is nearly called so, or is its beginning (`h` for `height`)."""
    trace = error.__traceback__
    frame = trace.tb_frame
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            frame = trace.tb_frame
        trace = trace.tb_next
    name = getattr(error, "name", None)
    names = [known for known in frame.f_locals if not known.startswith("__tilewise")]
    if not isinstance(error, NameError) or not name:
        return ""
    near = difflib.get_close_matches(name, names, 1, 0.75)
    near = near or sorted((known for known in names if name.startswith(known) or known.startswith(name)), key=len)[-1:]
    return f"; did you mean '{near[0]}'?" if near else ""


# Python's operators and functions that mean something else where a kernel's values are among the operands: then they are the language's.


def _extreme(python):

    def extreme(*values, **named):
        if named or not any(isinstance(value, tensor) for value in values):
            return python(*values, **named)
        names = tuple(f"x{i}" for i in range(len(values)))
        return _values.evaluate(f"{python.__name__}({', '.join(names)})", names, *values)

    return extreme


def _and(left, right):
    return _values.evaluate("a and b", ("a", "b"), left, right()) if isinstance(left, tensor) else left and right()


def _or(left, right):
    return _values.evaluate("a or b", ("a", "b"), left, right()) if isinstance(left, tensor) else left or right()


def _not(value):
    return _values.evaluate("not a", ("a",), value) if isinstance(value, tensor) else not value


def _assert(condition, message=""):
    if isinstance(condition, tensor):
        from .. import language
        language.device_assert(condition, message)
    elif not condition:
        raise AssertionError(message)


_HELPERS = {"__tilewise_not": _not, "__tilewise_and": _and, "__tilewise_or": _or, "__tilewise_min": _extreme(min), "__tilewise_max": _extreme(max),
            "__tilewise_range": _range, "__tilewise_refuse": _refuse, "__tilewise_assigned": _assigned, "__tilewise_items": _assigned_items,
            "__tilewise_loop": _loop, "__tilewise_assert": _assert}


class _Rewriter(ast.NodeTransformer):
    """The changes to a kernel's body, see the head of this file."""

    def __init__(self, definition, outside):
        stored = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
        stored |= {node.arg for node in ast.walk(definition) if isinstance(node, ast.arg)}
        # Names from outside that a kernel may not use, and why. Lists and dicts are the host's own, to collect what is looked at.
        refusals = {} if knobs.compilation.allow_non_constexpr_globals else {
            name: _sessions.native.refusal(name, value) for name, value in outside.items()
            if name not in stored and isinstance(value, (bool, int, float, str, tuple))}
        self.refused = {name: reason for name, reason in refusals.items() if reason}
        self.python = {"min", "max", "range"} - stored - {name for name, value in outside.items() if value is not None}
        # `x: tl.constexpr` alone: what is assigned to it later stays as it is.
        self.constants = {node.target.id for node in ast.walk(definition) if isinstance(node, ast.AnnAssign) and node.value is None
                          and isinstance(node.target, ast.Name) and "constexpr" in ast.unparse(node.annotation)}

    @staticmethod
    def _call(helper, node, *arguments):
        return ast.copy_location(ast.Call(ast.Name(helper, ast.Load()), list(arguments), []), node)

    def visit_Name(self, node):
        if node.id in self.refused and isinstance(node.ctx, ast.Load):
            return self._call("__tilewise_refuse", node, *(ast.copy_location(ast.Constant(text), node) for text in (node.id, self.refused[node.id])))
        if node.id in self.python and node.id != "range":
            return ast.copy_location(ast.Name(f"__tilewise_{node.id}", ast.Load()), node)
        return node

    def visit_Assign(self, node):
        self.generic_visit(node)
        if any(isinstance(inner, ast.Name) and inner.id in self.constants for target in node.targets for inner in ast.walk(target)):
            return node
        unpacks = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        node.value = self._call("__tilewise_items" if unpacks else "__tilewise_assigned", node.value, node.value)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is not None and "constexpr" not in ast.unparse(node.annotation):
            node.value = self._call("__tilewise_assigned", node.value, node.value)
        node.annotation = ast.copy_location(ast.Constant(None), node.annotation)
        return node

    def visit_NamedExpr(self, node):
        self.generic_visit(node)
        node.value = self._call("__tilewise_assigned", node.value, node.value)
        return node

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        if any(isinstance(inner, (ast.NamedExpr, ast.Await, ast.Yield)) for inner in ast.walk(node)):
            return node  # A function around them would change what they mean.
        result = node.values[0]
        for right in node.values[1:]:
            nothing = ast.arguments([], [], None, [], [], None, [])
            later = ast.copy_location(ast.Lambda(nothing, right), right)
            result = self._call("__tilewise_and" if isinstance(node.op, ast.And) else "__tilewise_or", node, result, later)
        return result

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return self._call("__tilewise_not", node, node.operand) if isinstance(node.op, ast.Not) else node

    def visit_For(self, node):
        self.generic_visit(node)
        called = node.iter.func if isinstance(node.iter, ast.Call) else None
        if isinstance(called, ast.Name) and called.id == "range" and "range" in self.python:
            called.id = "__tilewise_range"  # elsewhere, as in a comprehension, it gives Python's numbers
        node.iter = self._call("__tilewise_loop", node.iter, node.iter)
        return node

    def visit_Assert(self, node):
        self.generic_visit(node)
        message = [node.msg] if node.msg is not None else []
        return ast.copy_location(ast.Expr(self._call("__tilewise_assert", node, node.test, *message)), node)


def _rewritten(fn, lines, first_line):
    """The function with its body rewritten, at the same lines of the same file, with the same globals and closure."""
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first_line - 1)
    definition = tree.body[0]
    definition.decorator_list = []
    definition.returns = None
    arguments = definition.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument is not None:
            argument.annotation = None
    arguments.defaults, kept_defaults = [ast.copy_location(ast.Constant(None), d) for d in arguments.defaults], fn.__defaults__
    closure = inspect.getclosurevars(fn).nonlocals
    used = {node.id for node in ast.walk(definition) if isinstance(node, ast.Name)}
    rewriter = _Rewriter(definition, {name: closure.get(name, fn.__globals__.get(name)) for name in used})
    definition.body = [rewriter.visit(statement) for statement in definition.body]
    free = (*_HELPERS, *fn.__code__.co_freevars)
    outer = ast.FunctionDef(name="__tilewise_outer", args=ast.arguments([], [ast.arg(name) for name in free], None, [], [], None, []),
                            body=[definition, ast.Return(ast.Name(definition.name, ast.Load()))], decorator_list=[])
    ast.copy_location(outer, definition)
    if hasattr(ast, "TypeAlias"):
        outer.type_params = []
    module = ast.fix_missing_locations(ast.Module([outer], []))
    scope = {}
    exec(compile(module, fn.__code__.co_filename, "exec"), scope)  # noqa: S102 (the kernel's own text)
    inner = scope["__tilewise_outer"](*[None] * len(free))
    cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or ()))
    closure = tuple(cells[name] if name in cells else types.CellType(_HELPERS.get(name, inner)) for name in inner.__code__.co_freevars)
    result = types.FunctionType(inner.__code__, fn.__globals__, fn.__name__, kept_defaults, closure)
    result.__kwdefaults__ = fn.__kwdefaults__
    result.__qualname__ = fn.__qualname__
    return result


def _bits(number, text):
    """A number as the bits of a scalar argument."""
    import struct
    if text.startswith(("fp", "bf")):
        if text == "fp64":
            return struct.unpack("<Q", struct.pack("<d", number))[0]
        return struct.unpack("<I", struct.pack("<f", number))[0]
    return int(number) & (2**64 - 1)


class InterpretedFunction(JITCallable, KernelInterface):
    """A function marked with `jit` in interpreter mode: launched from Python as `f[grid](...)`, or called by other kernels."""

    def __init__(self, fn, source=None, **_):
        try:
            super().__init__(fn, source)
        except ValueError:
            # A function without a text runs as it is; only as the function of a reduction it would have to be compiled.
            self.raw_src = None
            for name in ("__name__", "__qualname__", "__module__", "__doc__", "__globals__"):
                setattr(self, name, getattr(fn, name))
        self.params = [KernelParam(i, param, False, False) for i, param in enumerate(self.signature.parameters.values())]
        self.arg_names = [param.name for param in self.params]
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        self.pre_run_hooks = []
        self._body = None

    def __repr__(self):
        return f"InterpretedFunction({self.fn.__module__}:{self.fn.__qualname__})"

    @property
    def body(self):
        if self._body is None:
            self._body = _rewritten(self.fn, self.raw_src, self.starting_line_number) if self.raw_src else self.fn
        return self._body

    def add_pre_run_hook(self, hook):
        self.pre_run_hooks.append(hook)

    def __call__(self, *arguments, **named):
        if not _native.interpreter_active():
            raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")
        return self.body(*arguments, **named)

    def run(self, *arguments, grid, warmup=False, **named):
        """The launch behind `f[grid](...)`."""
        if warmup:
            return
        if recording.recorder is not None:
            return recording.recorder.launch(self.run, arguments, grid, named)
        for hook in self.pre_run_hooks:
            hook(*arguments, **named)
        Options.take(named, frozenset(self.arg_names), self.__name__)
        bound = self.signature.bind(*arguments, **named)
        bound.apply_defaults()
        if callable(grid):
            grid = grid(dict(bound.arguments))
        grid = tuple(int(unwrap(extent)) for extent in (grid if isinstance(grid, (tuple, list)) else (grid,)))
        assert 1 <= len(grid) <= 3, "a grid has one to three extents"
        grid += (1,) * (3 - len(grid))
        session, copies = _sessions.native, []
        outer = session.enter()
        try:
            values = {param.name: self._convert(session, param, bound.arguments[param.name], copies) for param in self.params}
            bound = inspect.BoundArguments(self.signature, values)
            session.run(grid, self.body, bound.args, bound.kwargs)
        except (InterpreterError, KeyboardInterrupt):
            raise
        except Exception as error:
            raise InterpreterError(repr(error) + _did_you_mean(error)) from error
        finally:
            session.leave(outer)
        for device, host in copies:
            device.copy_(host)

    def _convert(self, session, param, value, copies):
        if param.is_constexpr:
            return unwrap(value)
        return _argument(session, param.name, value, param.annotation_type, copies)


def _argument(session, name, value, annotation, copies):
    """A launch argument as the kernel sees it."""
    if value is None or isinstance(value, (str, JITCallable, types.FunctionType)):
        return value
    if isinstance(value, constexpr):
        return value.value
    if isinstance(value, tuple):
        items = [_argument(session, f"{name}[{i}]", item, "", copies) for i, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if type(value) is int and value == 1 and not annotation:  # a launch makes it a constant, too
        return value
    if isinstance(value, (bool, int, float)):
        text = annotation or ("u1" if isinstance(value, bool) else "fp32" if isinstance(value, float) else "i32" if -2**31 <= value < 2**31
                              else "i64" if -2**63 <= value < 2**63 else "u64")
        if text in ("fp16", "bf16"):  # as a launch does: rounded from fp32
            return _values.evaluate("a.to(t)", ("a", "t"), session.argument("fp32", _bits(value, "fp32")), _element(text))
        return session.argument(text, _bits(value, text))
    if hasattr(value, "block_shape") and hasattr(value, "base"):
        base = _argument(session, name, value.base, "", copies)
        from ..language import make_tensor_descriptor
        return make_tensor_descriptor(base, list(value.shape), list(value.strides), list(value.block_shape), padding_option=value.padding)
    if hasattr(value, "data_ptr"):
        if engines.is_on_gpu(value):
            host = value.cpu()
            copies.append((value, host))
            value = host
        text = annotation if annotation.startswith("*") else f"*{canonicalize_dtype(value.dtype)}"
        return session.pointer(text, name, value.data_ptr(), *_storage_of_tensor(value))
    if hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__"):
        text, *place, is_const = _native.memory(value)
        return session.pointer(f"{'*k' if is_const else '*'}{text}", name, *place)
    return value


def _storage_of_tensor(value):
    """How many bytes of its storage lie at a tensor's first element and before it; -1 when it does not say."""
    value = getattr(value, "base", value)  # of a tensor under another element type
    if not hasattr(value, "untyped_storage"):
        return -1, 0
    storage = value.untyped_storage()
    before = value.data_ptr() - storage.data_ptr()
    return (storage.nbytes() - before, before) if storage.nbytes() else (0, 0)


def _element(text):
    from ..language.types import str_to_ty
    return str_to_ty(text)
