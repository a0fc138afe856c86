"""Errors about a kernel's text, in the shape that programs know: `at LINE:COLUMN:`, the lines before it, a caret, the message.

Line and column are relative to the `def`. An error inside a called function is the `__cause__` of the error at the call, level by level.
Where the text would compile for other arguments, the launch is at fault: then the error is a LaunchError too, and names them.
"""

import ast
import collections
import functools
import re

from .. import _native
from ..errors import LaunchError, TritonError

# Severities and codes of tilewise/report.h.
_ERROR = 0
_CALL, _LIBRARY, _STATIC_ASSERTION, _NOT_IN_LANGUAGE, _UNDEFINED_NAME = 1, 2, 3, 4, 5


class Diagnostic(collections.namedtuple("Diagnostic", "severity code message file line column length notes")):
    """One piece of the compiler's report: an error, or a note that belongs to the error before it."""

    __slots__ = ()


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


class ArgumentError(CompilationError, LaunchError):
    """The kernel does not compile for the types or constants that a launch gave; for others it does."""


class ArgumentAssertionFailure(CompileTimeAssertionFailure, LaunchError):
    """A constant or type that a launch gave fails the kernel's tl.static_assert."""


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


def _kind_of(code, of_launch):
    if code == _STATIC_ASSERTION:
        return ArgumentAssertionFailure if of_launch else CompileTimeAssertionFailure
    if code == _NOT_IN_LANGUAGE:
        return UnsupportedLanguageConstruct
    return ArgumentError if of_launch else CompilationError


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


def _first_error(diagnostics):
    """The first error of a report and its notes."""
    report = [Diagnostic(*row) for row in diagnostics]
    for i, error in enumerate(report):
        if error.severity == _ERROR:
            return error, report[i + 1:i + 1 + error.notes]
    return None, []


def _note_text(note):
    return f"note: {note.message}" + (f": {note.file}:{note.line}:{note.column}" if note.file else "")


def translate(report, functions):
    """The compiler's KernelError as an exception. `functions(file, line)` gives the jit function whose text is there, or None."""
    first, notes = _first_error(report.diagnostics)
    of_launch = isinstance(report, LaunchError)
    if first is None:
        return _kind_of(None, of_launch)(None, None, str(report))
    message = "\n".join([first.message, *(_note_text(note) for note in notes if note.code != _CALL)])
    code = first.code
    if code == _STATIC_ASSERTION and any(note.code == _LIBRARY for note in notes):
        # A builtin's own assertion is its complaint about the arguments.
        message, code = message.removeprefix("static assertion failed: "), None
    kind = _kind_of(code, of_launch)
    error = None
    for place in [first, *(note for note in notes if note.code == _CALL)]:
        function = functions(place.file, place.line)
        if function is None:
            continue
        lineno, offset = function.place_in_source(place.line, place.column)
        if error is None:
            node = _operation_at(function.parse(), lineno, offset, whole=code != _UNDEFINED_NAME)
            error = kind(function.src, _Place(node.lineno, node.col_offset), message)
            # What a builtin complained about is the cause of the error at its call.
            if kind in (CompilationError, ArgumentError) and isinstance(node, ast.Call):
                error.__cause__ = ValueError(_complaint(message))
        else:
            # What Python prints last says what is wrong, too.
            outer = (ArgumentError if of_launch else CompilationError)(function.src, _Place(lineno, offset),
                                                                       f"inside the function called here: {first.message}")
            outer.__cause__ = error
            error = outer
    return error or kind(None, None, str(report))


def guarded(functions):
    """For methods that compile: turns the compiler's report into the exception that programs expect."""

    def guard(call):

        @functools.wraps(call)
        def wrapper(*arguments, **named):
            try:
                return call(*arguments, **named)
            except _native.KernelError as error:
                report = error.with_traceback(None)
            raise translate(report, functions)

        return wrapper

    return guard


def no_function(file, line):
    """For `guarded`, where kernels come from files: no jit function has its text there."""
    return None
