"""Errors about a kernel's text, in the shape that programs know: `at LINE:COLUMN:`, the lines before it, a caret, the message.

Line and column are relative to the `def`. An error inside a called function is the `__cause__` of the error at the call, level by level.
"""

import ast
import re

from ..errors import TritonError

_PLACE = re.compile(r"^(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|warning): (?P<message>.*)$")
_CALL = re.compile(r"^note: '.*' was called from here: (?P<file>.*):(?P<line>\d+):(?P<column>\d+)$")
_EXCERPT = re.compile(r"^ *\d* \| ")


class CompilationError(TritonError):
    """The kernel's text or types are wrong."""

    source_line_count_max_in_message = 12

    def __init__(self, src, node, error_message=None):
        super().__init__(src, node, error_message)
        self.src = src
        self.node = node
        self.error_message = error_message
        self.message = self._format_message()

    def _format_message(self):
        text = self.error_message or ""
        if not hasattr(self.node, "lineno"):
            return text if self.src is None else f"{self.src}\n{text}".rstrip("\n")
        if self.src is None:
            excerpt = " <source unavailable>"
        else:
            lines = self.src.split("\n")[:self.node.lineno][-self.source_line_count_max_in_message:]
            excerpt = "\n".join([*lines, " " * self.node.col_offset + "^"]) if lines else " <source empty>"
        return f"at {self.node.lineno}:{self.node.col_offset}:\n{excerpt}" + (f"\n{text}" if text else "")

    def __str__(self):
        return self.message

    def __reduce__(self):
        return type(self), (self.src, self.node, self.error_message)


class CompileTimeAssertionFailure(CompilationError):
    """tl.static_assert failed."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that is not part of the kernel language."""


class _Place(ast.AST):
    """A line and column of a function's text, as errors carry it."""

    _attributes = ("lineno", "col_offset")

    def __init__(self, lineno, col_offset):
        super().__init__()
        self.lineno = lineno
        self.col_offset = col_offset

    def __reduce__(self):
        return _Place, (self.lineno, self.col_offset)


def _parse(text):
    """The first error of the compiler's report: its message with notes, and the places from the innermost to the outermost call."""
    message, places = [], []
    for line in text.splitlines():
        if found := _PLACE.match(line):
            if places:
                break  # the next error
            places.append((found["file"], int(found["line"]), int(found["column"])))
            message.append(found["message"])
        elif found := _CALL.match(line):
            places.append((found["file"], int(found["line"]), int(found["column"])))
        elif not _EXCERPT.match(line):
            message.append(line)
    return "\n".join(message).strip(), places


def _kind_of(message):
    if message.startswith("static assertion failed"):
        return CompileTimeAssertionFailure
    if "not part of the kernel language" in message or "unsupported AST node type" in message:
        return UnsupportedLanguageConstruct
    return CompilationError


def _operation_at(tree, line, column, whole):
    """The call, operation or statement around a place, which is where upstream's errors point; or just the name there."""
    wanted = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.stmt) if whole else (ast.Name, ast.stmt)
    best = _Place(line, column)
    for node in ast.walk(tree):  # outer nodes come before the ones inside them
        negative = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)  # a number, not an operation
        if isinstance(node, wanted) and not isinstance(node, ast.FunctionDef) and not negative:
            if (node.lineno, node.col_offset) <= (line, column) < (node.end_lineno, node.end_col_offset):
                best = node
    return best


def _complaint(message):
    """The complaint without what was found and the way out, which is all that upstream says."""
    return re.split(r", (?:got|not) |; (?!\()|\n", message, maxsplit=1)[0]


def translate(text, functions):
    """The compiler's report as an exception. `functions(file, line)` gives the jit function whose text is there, or None."""
    message, places = _parse(text)
    if "note: inside the standard library" in text:
        # A builtin's own assertion is its complaint about the arguments.
        message = message.removeprefix("static assertion failed: ")
    kind = _kind_of(message)
    error = None
    for file, line, column in places:
        function = functions(file, line)
        if function is None:
            continue
        lineno, offset = function.place_in_source(line, column)
        if error is None:
            node = _operation_at(function.parse(), lineno, offset, whole="is not defined" not in message)
            error = kind(function.src, _Place(node.lineno, node.col_offset), message)
            # What a builtin complained about is the cause of the error at its call.
            if kind is CompilationError and isinstance(node, ast.Call):
                error.__cause__ = ValueError(_complaint(message))
        else:
            outer = CompilationError(function.src, _Place(lineno, offset))
            outer.__cause__ = error
            error = outer
    return error or kind(None, None, text)
