"""The results as a table for the terminal."""

COLUMNS = ("unfused", "torch", "triton", "tilewise")


def megabytes(count):
    return f"{count / 1e6:.1f}"


def heading(results, title):
    """The table's columns: those of competitors that are there."""
    there = [name for name in COLUMNS if any(name in each.milliseconds for each in results)]
    names = {"unfused": f"unfused ({title})", "torch": "PyTorch's own", "triton": "Triton", "tilewise": "Tilewise"}
    return there, [f"{names[name]}, ms" for name in there]


def rows(results, title):
    """Texts of cells, the heading first."""
    there, names = heading(results, title)
    table = [["operation", "size", *names, "speed-up", *(["of PyTorch's own"] if "torch" in there else []), "launches", "MB moved", "of peak", "difference", ""]]
    for each in results:
        times = [f"{each.milliseconds[name]:.3f}" if name in each.milliseconds else "-" for name in there]
        own = [f"{each.milliseconds['torch'] / each.milliseconds['tilewise']:.2f}x" if "torch" in each.milliseconds else "-"] if "torch" in there else []
        share = f"{each.share:.0%} of {each.bound}" if each.share is not None else "-"
        table.append([each.name, each.size, *times, f"{each.speedup:.2f}x", *own, f"{each.launches} -> 1", f"{megabytes(each.moved)} -> {megabytes(each.least)}", share,
                      f"{each.difference:.0e}", each.mark])
    return table


def text(results, title):
    table = rows(results, title)
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    lines = []
    for row in table:
        cells = [cell.ljust(width) if column < 2 else cell.rjust(width) for column, (cell, width) in enumerate(zip(row[:-1], widths))]
        lines.append("  ".join([*cells, row[-1]]).rstrip())
    return "\n".join(lines)
