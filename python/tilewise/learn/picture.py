"""Pictures of a launch in characters: which program wrote, or read, which part of a tensor."""

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


def of_launch(kernel, case, name):
    """The text of the picture for one output of a case."""
    from ..trace import trace
    arguments = copy.deepcopy(case.arguments)
    seen = trace(kernel, case.grid, **arguments)
    array = arguments[name]
    lines = [f"{name}, {' x '.join(map(str, array.shape))}: which program writes which element ({case.says})", ""]
    return "\n".join(lines + ["    " + line for line in owners(seen.arguments[name].writer, array.shape)])
