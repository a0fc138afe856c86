"""Functions with a text that kernels are made of: where the text is, what it uses, and a hash of both."""

import ast
import copy
import inspect
import re
import types

from .. import _native
from .._utils import sha256
from ..language.types import constexpr

# Python's own functions that kernels may name.
_PYTHON_BUILTINS = {"float", "getattr", "hasattr", "int", "isinstance", "len", "list", "max", "min", "print", "range"}

# Every jit function by the file its text is in, to find whose line an error is about.
_functions_of_file = {}


def function_at(file, line):
    """The jit function whose text covers a line of a file; the latest one if several do, as in a notebook's cell run again."""
    for function in reversed(_functions_of_file.get(file, ())):
        if function.starting_line_number <= line < function.starting_line_number + len(function.raw_src):
            return function
    return None


class JITCallable:
    """A function with a text that kernels are made of."""

    def __init__(self, fn, source=None, reads_text=True):
        self.fn = fn
        self.signature = inspect.signature(fn)
        self.source = source
        self._fn_name = f"{fn.__module__}.{fn.__qualname__}"
        self.file_name = fn.__code__.co_filename
        self._updated_src = None
        self._source = None
        self.hash = None
        self.used_global_vals = {}
        for name in ("__name__", "__qualname__", "__module__", "__doc__", "__globals__"):
            setattr(self, name, getattr(fn, name))
        self.__signature__ = self.signature
        if reads_text:
            self._read_text()
        _functions_of_file.setdefault(self._file, []).append(self)

    # What is known of the text once it has been read.
    TEXT = ("raw_src", "starting_line_number", "def_file_line_number", "def_file_col_number", "_src", "text_name")

    def _read_text(self):
        import textwrap
        if self.source is not None:
            self.raw_src, self.starting_line_number = self.source.splitlines(keepends=True), 1
        else:
            try:
                self.raw_src, self.starting_line_number = inspect.getsourcelines(self.fn)
            except (OSError, TypeError):
                raise ValueError(f"@jit functions should be defined in a Python file: the text of '{self.fn.__name__}' cannot be found; "
                                 "give it with tilewise.jit(source=...), or save the program in a file") from None
        self.starting_line_number = max(self.starting_line_number, 1)
        start = next((i for i, line in enumerate(self.raw_src) if re.match(r"\s*(async\s+)?def\s", line)), 0)
        self.def_file_line_number = self.starting_line_number + start
        self.def_file_col_number = len(self.raw_src[start]) - len(self.raw_src[start].lstrip()) + 1
        text = textwrap.dedent("".join(self.raw_src))
        self._src = text[re.search(r"^(async\s+)?def\s", text, re.MULTILINE).start():]
        # A program may change `__name__`; the text has the function's own.
        self.text_name = re.match(r"(?:async\s+)?def\s+(\w+)", self._src)[1]

    @property
    def _file(self):
        return inspect.getsourcefile(self.fn) or self.file_name

    @property
    def src(self):
        """The function's text without decorators and indentation."""
        return self._src

    @src.setter
    def src(self, _):
        raise AttributeError("Cannot set attribute 'src' directly. Use '_unsafe_update_src()' and manually clear `.hash` of all callers instead.")

    def _unsafe_update_src(self, new_src):
        self._src = self._updated_src = new_src
        self._source = None
        self.hash = None

    def parse(self):
        return ast.parse(self._src)

    def place_in_source(self, line, column):
        """A line and column of the file -> line and column (from 0) of `src`."""
        indent = 0 if self._updated_src else self.def_file_col_number - 1
        return line - self.def_file_line_number + 1, max(column - 1 - indent, 0)

    @property
    def native_source(self):
        """The text with its names, as the compiler takes it."""
        if self._source is None:
            if self._updated_src:
                text, line = self._updated_src, self.def_file_line_number
            else:
                text, line = "".join(self.raw_src), self.starting_line_number
            self._source = _native.create_source(text, self._file, line, self._resolver())
        return self._source

    def _resolver(self):
        from .resolver import Resolver
        return Resolver(self.fn)

    # How kernels call it; the numbers of tilewise/host.h.
    PYTHON, STATIC, PROPERTY, NOINLINE, MUST_USE = 1, 2, 4, 8, 16
    call_flags = 0

    def source_of_call(self):
        must_use = getattr(self, "_must_use_result", getattr(self.fn, "_must_use_result", None))
        flags = self.call_flags | (self.NOINLINE if getattr(self, "noinline", False) else 0) | (self.MUST_USE if must_use else 0)
        return "function", self.native_source, self.text_name, flags, must_use if isinstance(must_use, str) else None

    def get_capture_scope(self):
        nonlocals = {name: cell.cell_contents for name, cell in zip(self.fn.__code__.co_freevars, self.fn.__closure__ or ())}
        return self.__globals__ | nonlocals

    @property
    def cache_key(self):
        """A hash of the text, its place, the functions it calls and the constants it uses."""
        if self.hash is None:
            self.hash = f"recursion:{self._fn_name}"
            try:
                self.hash = self._compute_hash()
            except BaseException:
                self.hash = None
                raise
        return self.hash

    def _compute_hash(self):
        parts = [self._src, str(self.starting_line_number)]
        used = {}
        for name, value, scope in _references(self):
            if isinstance(value, JITCallable):
                parts.append(value.cache_key + str(getattr(value, "noinline", False)))
                self._merge_globals(used, value)
            elif scope is not None and _is_watched(value):
                used[(name, id(scope))] = (_noted(value), scope)
        self.used_global_vals = dict(sorted(used.items()))
        constants = [f"{name}={value!r}" for (name, _), (value, _) in used.items() if isinstance(value, constexpr)]
        return sha256("\n".join(parts + sorted(constants)))

    def _merge_globals(self, used, callee):
        """A global is the same in everything that is compiled together."""
        for key in used.keys() & callee.used_global_vals.keys():
            mine, theirs = used[key][0], callee.used_global_vals[key][0]
            if not is_unchanged(mine, theirs):
                raise RuntimeError(f"Global variable {key[0]} has value {mine} when compiling {self._fn_name}, but inner kernel "
                                   f"{callee.__name__} has conflicting value {theirs} from when it was first compiled. "
                                   "This is not allowed.")
        used.update(callee.used_global_vals)

    def __hash__(self):
        return hash(self.cache_key)

    @property
    def type(self):
        from ..language.types import constexpr_type
        return constexpr_type(self)


def _noted(value):
    """The value as it is now, for is_unchanged; itself where it cannot be copied, as an object that holds a lock, and where its copy
    already differs from it, as a list of objects that are compared by identity."""
    try:
        noted = copy.deepcopy(value)
    except Exception:
        return value
    return noted if is_unchanged(noted, value) else value


def _attributes(value):
    slots = [name for base in type(value).__mro__ for name in getattr(base, "__slots__", ())]
    return {**{name: getattr(value, name) for name in slots if hasattr(value, name)}, **getattr(value, "__dict__", {})}


def is_unchanged(noted, now, depth=8):
    """Whether a global still is what was noted of it. An object whose class has no `==` of its own is what its attributes are: its copy
    would differ from it for ever."""
    if now is noted:
        return True
    if type(now) is not type(noted) or type(now).__eq__ is not object.__eq__:
        try:
            return bool(now == noted)
        except Exception:  # As of two arrays, which answer for each element.
            return False
    if depth == 0:
        return True
    before, after = _attributes(noted), _attributes(now)
    return before.keys() == after.keys() and all(is_unchanged(before[name], after[name], depth - 1) for name in before)


def _is_watched(value):
    """Whether a change of this value after a compile would be told: constants and types, not modules, functions and classes."""
    return not (value is None or isinstance(value, (types.ModuleType, type)) or getattr(value, "__triton_builtin__", False))


# What runs before what, where it is not the order of the text.
_ORDER = {ast.Assign: ("value", "targets"), ast.AugAssign: ("target", "value"), ast.AnnAssign: ("annotation", "value", "target"),
          ast.For: ("iter", "target", "body", "orelse"), ast.NamedExpr: ("value", "target"), ast.ListComp: ("generators", "elt"),
          ast.SetComp: ("generators", "elt"), ast.GeneratorExp: ("generators", "elt"), ast.DictComp: ("generators", "key", "value"),
          ast.comprehension: ("iter", "target", "ifs")}


def _in_order(node):
    """The nodes of a function in the order in which they run."""
    yield node
    for name in _ORDER.get(type(node), node._fields):
        child = getattr(node, name, None)
        for inner in child if isinstance(child, list) else (child,):
            if isinstance(inner, ast.AST):
                yield from _in_order(inner)


def _references(function):
    """(name, value, scope) for what the function's text uses from outside; functions that kernels cannot call are refused.

    `scope` is where the name is bound: the globals or the closure, or None for an attribute and in the defaults of parameters."""
    nonlocals = inspect.getclosurevars(function.fn).nonlocals
    tree = function.parse()
    definition = tree.body[0]
    # A name is the function's own once it has been assigned; before that it is the global, as kernels read it.
    stored = {node.arg for node in ast.walk(definition.args) if isinstance(node, ast.arg)}
    defaults = [default for default in (*definition.args.defaults, *definition.args.kw_defaults) if default is not None]
    left_out = {id(inner) for outer in definition.decorator_list for inner in ast.walk(outer)}
    in_defaults = {id(inner) for default in defaults for inner in ast.walk(default)}

    def binding(name):
        if name in stored:
            return None, None
        if name in nonlocals:
            return nonlocals[name], nonlocals
        return function.__globals__.get(name), function.__globals__

    def value_of(node):
        if isinstance(node, ast.Name):
            return binding(node.id)[0]
        outer = value_of(node.value) if isinstance(node, ast.Attribute) else None
        module = outer.__name__ if isinstance(outer, types.ModuleType) else ""
        if outer is None or module.startswith(("tilewise", "math", "copy")) and module != "tilewise.debug":
            return None
        return getattr(outer, node.attr, None)

    for node in _in_order(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored.add(node.id)
        if id(node) in left_out or not isinstance(node, (ast.Name, ast.Attribute)):
            continue
        if isinstance(node, ast.Name) and node.id in _PYTHON_BUILTINS:
            continue
        value = value_of(node)
        if value is None:
            continue
        is_plain = callable(value) and not isinstance(value, (type, constexpr, JITCallable))
        if is_plain and not getattr(value, "__triton_builtin__", False) and not hasattr(value, "source_of_call"):
            place = f"{function._file}:{function.def_file_line_number + node.lineno - 1}"
            from .. import language  # not at the top: the language has jit functions
            name = ast.unparse(node)
            meant = name.rpartition(".")[2]
            hint = f"; did you mean 'tl.{meant}'?" if hasattr(language, meant) else ""
            raise RuntimeError(f"Unsupported function referenced: {value}\n{place}: '{name}' is Python's{hint}\n"
                               "note: a kernel calls functions marked with @triton.jit, or runs line by line, Python functions and all, "
                               "with TRITON_INTERPRET=1")
        scope = binding(node.id)[1] if isinstance(node, ast.Name) and id(node) not in in_defaults else None
        yield ast.unparse(node), value, scope
