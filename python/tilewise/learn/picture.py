"""Pictures of launches in characters: which program wrote which part of a tensor, bars of numbers that were counted or timed, shades of grey."""

import copy

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_ROWS, MOST_COLUMNS = 16, 72


def owners(owner, shape):
    """Lines of one character per element: the number of its program, '.' for none. Larger tensors show every so many elements."""
    columns = shape[-1] if shape else 1
    rows = owner.size // max(columns, 1)
    grid = owner.reshape(rows, columns)
    step_r, step_c = -(-rows // MOST_ROWS), -(-columns // MOST_COLUMNS)
    lines = ["".join("." if who < 0 else _DIGITS[who % len(_DIGITS)] for who in row[::step_c]) for row in grid[::step_r]]
    if step_r > 1 or step_c > 1:
        parts = [f"one {what} of {step}" for what, step in (("row", step_r), ("column", step_c)) if step > 1]
        lines.append(f"({' and '.join(parts)} is shown)")
    return lines


def indented(title, lines):
    return "\n".join([title, "", *("    " + line for line in lines)])


def bars(title, values, unit=""):
    """A line for each (name, number), the longest 48 characters wide."""
    most, width = max(number for _, number in values), max(len(name) for name, _ in values)
    drawn = lambda number: "#" * max(1, round(48 * number / most)) + (f" {number:,.0f}" if number >= 1000 else f" {number:.3g}")
    return indented(title, [f"{name:<{width}}  {drawn(number)}{unit}" for name, number in values])


def shades(title, pictures):
    """Matrices of numbers from 0 to 1 beside each other, a character for each pixel."""
    row_of = lambda row: "".join(" .:-=+*%@#"[min(9, max(0, int(value * 10)))] for value in row)
    return indented(title, ["    ".join(row_of(picture[y]) for picture in pictures) for y in range(len(pictures[0]))])


class Shown:
    """What a lesson's picture is made of: the kernels of its solution and its exercise, and launches of them."""

    def __init__(self, step):
        self.step, self.task = step, step.task
        self.case = self.task.cases()[0]

    def module(self, of="solution"):
        from . import source
        return source.import_file(getattr(self.step, of))

    def kernel(self, of="solution"):
        from . import source
        return source.find_kernel(self.module(of), self.task.kernel, self.case.arguments)[1]

    def trace(self, of="solution", case=None):
        from ..trace import trace
        case = case or self.case
        return trace(self.kernel(of), case.grid, **copy.deepcopy(case.arguments))

    def moved(self, case=None):
        """Values that the solution's kernel loads and stores."""
        return sum((each.loaded + each.stored) / each.size for each in self.trace(case=case).arguments.values())

    def writers(self, name, of="solution"):
        shape = self.case.arguments[name].shape
        title = f"{name}, {' x '.join(map(str, shape))}: which program writes which element ({self.case.says})"
        return indented(title, owners(self.trace(of).arguments[name].writer, shape))

    def text(self):
        """The picture that the task asks for: of an output by its name, or what its function makes of this."""
        picture = self.task.picture or next(iter(self.case.expected))
        return picture(self) if callable(picture) else self.writers(picture)
