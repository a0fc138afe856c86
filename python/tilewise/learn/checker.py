"""Runs the learner's kernel and says what is wrong with it: in its own lines, programs and elements."""

import contextlib
import copy
import difflib
import io
import re
import warnings

import numpy as np

import tilewise

from ..runtime.errors import InterpreterError
from ..trace import trace
from . import source
from .patience import TooLong, at_most
from .source import Found


def _ranges(numbers):
    """[0, 1, 2, 7] -> '0 to 2, 7'"""
    parts, start, last = [], None, None
    for number in [*numbers, None]:
        if start is not None and number != last + 1 if number is not None else start is not None:
            parts.append(str(start) if start == last else f"{start} to {last}")
            start = None
        if start is None:
            start = number
        last = number
        if len(parts) == 4:
            return ", ".join(parts) + ", ..."
    return ", ".join(parts)


def _place(array, flat):
    """An element as it is written: [3] or [1, 2]."""
    return str([int(i) for i in np.unravel_index(int(flat), array.shape)])


def _near(got, expected, tolerance):
    got, expected = got.astype(np.float64), np.asarray(expected, np.float64)
    with np.errstate(invalid="ignore"):
        return (np.abs(got - expected) <= tolerance * (1 + np.abs(expected))) | (np.isnan(got) & np.isnan(expected)) | (got == expected)


def _meant(error):
    """What a name that does not exist may have been meant to be: sqrt is tl.sqrt, tl.squareroot too."""
    name = getattr(error, "name", None)
    if not name or isinstance(error, AttributeError) and getattr(error, "obj", None) is not tilewise.language:
        return ""
    names = tilewise.language.__all__
    near = [name] if name in names else difflib.get_close_matches(name, names, 1, 0.5)
    return f"; did you mean 'tl.{near[0]}'?" if near else ""


# What a check may take. The longest one takes about a second; a loop without an end would take forever.
SECONDS = 60


class Checker:
    """One check of one file."""

    def __init__(self, task, path):
        self.task, self.path = task, path.absolute()
        self.text, self.tree = source.parse(path)
        self.advice = []

    def run(self):
        """Raises Found with the first thing that is wrong; returns how many cases passed."""
        try:
            with at_most(SECONDS):
                return self._run()
        except TooLong as error:
            line = source.line_in(error, self.path)
            raise Found(f"{f'line {line}: ' if line else ''}after {SECONDS} seconds this is still running; does every loop come to its end?") from None

    def _run(self):
        source.check_finished(self.text, self.tree)
        self.module = source.import_file(self.path)
        cases = self.task.cases()
        self.kernel, self.inner = source.find_kernel(self.module, self.task.kernel, cases[0].arguments)
        for case in cases:
            self._watch(case)
        for case in cases:
            self._compiled(case)
        if self.task.also and (said := self.task.also(self.module)):
            raise Found(said)
        return len(cases)

    # Line by line, with every access watched.

    def _watch(self, case):
        arguments = copy.deepcopy(case.arguments)
        outputs = {name: arguments[name] for name in case.expected}
        untouched = {name: array.copy() for name, array in outputs.items()}
        try:
            seen = trace(self.inner, case.grid, **arguments)
        except InterpreterError as error:
            raise Found(f"{case.says}: {self._own_words(error)}") from None
        if len(seen.programs_that_stored) == 0:
            raise Found(f"{case.says}: the kernel stores nothing: there is no tl.store whose mask holds anywhere")
        self._overlaps(case, seen)
        for name, array in outputs.items():
            self._values(case, seen, name, array, untouched[name])
        for name, array in arguments.items():
            if isinstance(array, np.ndarray) and name not in outputs and not np.array_equal(array, case.arguments[name]):
                raise Found(f"{case.says}: '{name}' is an input, but the kernel wrote to it")
        self._traffic(case, seen)

    def _own_words(self, error):
        """The interpreter's complaint with the learner's line."""
        cause = error if error.__cause__ is None else error.__cause__
        line = source.line_in(cause, self.path) or source.line_in(error, self.path)
        message = str(cause) if not isinstance(cause, (NameError, AttributeError, TypeError, KeyError)) else f"{type(cause).__name__}: {cause}{_meant(cause)}"
        message = re.sub(r"^<interpreter>:\d+:\d+: error: ", "", message).replace("\nnote: ", "; ")
        return f"line {line}: {message}" if line and not re.search(r"\.py:\d+", message) else message

    def _blame(self, grid):
        """Why programs do the same work, where the text tells."""
        unused = source.unused_program_id(self.tree, self.task.kernel)
        if unused is None:
            axis, line = source.wrong_axis(self.tree, self.task.kernel, grid)
            return f": tl.program_id({axis}) is 0 in every program of this grid, {grid}, line {line}" if line else ""
        variable, line = unused
        return f": '{variable}' is not used, line {line}" if variable else ": the kernel never asks for tl.program_id"

    def _overlaps(self, case, seen):
        if seen.overlaps and not all(overlap.argument not in case.expected for overlap in seen.overlaps):
            first = seen.overlaps[0]
            blame = self._blame(case.grid)
            mine, theirs = (seen.written.get((first.argument, program)) for program in (first.second, first.first))
            if not blame and mine and theirs and mine[0] != theirs[0]:
                blame = f": it writes elements {mine[0]} to {mine[1]}, the other one {theirs[0]} to {theirs[1]}"
            raise Found(f"{case.says}: program {seen.id_of(first.second)} wrote where program {seen.id_of(first.first)} wrote "
                        f"('{first.argument}', element {first.element}, line {first.line}){blame}")

    def _values(self, case, seen, name, array, untouched):
        expected = np.broadcast_to(np.asarray(case.expected[name]), array.shape)
        good = _near(array, expected, case.tolerance).ravel()
        if good.all():
            return
        writer = seen.arguments[name].writer[:array.size] if array.flags.c_contiguous else np.zeros(array.size, np.int64)
        never = (writer < 0) & ~good
        if never.any():
            raise Found(f"{case.says}: elements {_ranges(np.flatnonzero(never))} of '{name}' were never written{self._blame(case.grid)}")
        at = int(np.argmin(good))
        wrong = int((~good).sum())
        value, right = array.ravel()[at], expected.ravel()[at]
        note = ""
        if np.isnan(value):
            note = "; NaN comes from 0/0, inf - inf or the root of a negative number"
        elif (writer[~good] >= 0).all() and good.any():
            programs = sorted(set(writer[~good].tolist()))
            if len(programs) < seen.grid[0] * seen.grid[1] * seen.grid[2]:
                shown = ", ".join(seen.id_of(program) for program in programs[:4]) + (", ..." if len(programs) > 4 else "")
                note = f"; all wrong ones were written by program{'s' if len(programs) > 1 else ''} {shown}"
        raise Found(f"{case.says}: {name}{_place(array, at)} is {value:.6g}, expected {right:.6g}, written by program {seen.id_of(int(writer[at]))}; "
                    f"{wrong} of {array.size} are wrong{note}{self._warned(case)}")

    def _warned(self, case):
        """What the compiler warns of, which may be why a value is wrong; nothing where it does not compile."""
        with warnings.catch_warnings(record=True) as told, tilewise.engine("reference"):
            warnings.simplefilter("always")
            try:
                self.inner[case.grid](**copy.deepcopy(case.arguments))
            except Exception:
                return ""
        texts = [str(each.message).splitlines()[0].removeprefix(str(self.path)) for each in told]
        found = re.match(r":(\d+):\d+: warning: (.*)", texts[0]) if texts else None
        return f"; the compiler warns of line {found[1]}: {found[2]}" if found else ""

    def _traffic(self, case, seen):
        for name in self.task.read_once:
            argument = seen.arguments[name]
            if argument.loaded > argument.distinct_loaded:
                raise Found(f"{case.says}: right, but '{name}' is read {argument.loaded / argument.distinct_loaded:.1f} times over "
                            f"({argument.loaded} bytes for {argument.distinct_loaded} distinct ones); once is enough")
        if self.task.most_waste:
            for argument in seen.arguments.values():
                for what, moved, used in (("read", argument.loaded_sectors, argument.loaded), ("written", argument.stored_sectors, argument.stored)):
                    if used and moved / used > self.task.most_waste:
                        raise Found(f"{case.says}: right, but '{argument.name}' is {what} in pieces: memory moves {moved} bytes (in sectors of 32) for {used} "
                                    f"that are used, {moved / used:.1f} times as many; let neighbouring lanes touch neighbouring elements")
        if self.task.most_accesses:
            programs = seen.grid[0] * seen.grid[1] * seen.grid[2]
            if seen.accesses > self.task.most_accesses * programs:
                raise Found(f"{case.says}: right, but a program makes {seen.accesses // programs} loads and stores; {self.task.most_accesses} are enough "
                            "when each moves a block")

    # Compiled, as it will be used.

    def _compiled(self, case):
        for engine in ("reference", "cpu"):
            arguments = copy.deepcopy(case.arguments)
            # What the kernel prints has been seen, line by line.
            with warnings.catch_warnings(record=True) as told, tilewise.engine(engine), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("always")
                try:
                    self.inner[case.grid](**arguments)
                except Exception as error:
                    raise Found(f"{case.says}: runs line by line, but not on the engine '{engine}':\n{error}") from None
            for each in told:
                text = str(each.message).splitlines()[0]
                if text not in self.advice:
                    self.advice.append(text)
            for name, expected in case.expected.items():
                good = _near(arguments[name], np.broadcast_to(np.asarray(expected), arguments[name].shape), case.tolerance)
                if not good.all():
                    at = int(np.argmin(good))
                    raise Found(f"{case.says}: right line by line, but on the engine '{engine}' {name}{_place(arguments[name], at)} is "
                                f"{arguments[name].ravel()[at]:.6g}")
