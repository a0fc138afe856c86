"""docs/reference: a page for each name of `tl`, with its parameters, an example and what it prints.

Names and parameters are the compiler's own (`tilewise list --language`, and what the Python package offers beside it), prose and examples those of docs/reference/entries, rows of
exact meaning those of test/semantics. Every example is run on the reference and the CPU engine, which must print the same.

    reference_pages.py BUILD ROOT            exits 1 when a page is not what it would be now, or a name has no entry
    reference_pages.py BUILD ROOT --update   writes the pages
"""

import os
import pathlib
import re
import runpy
import subprocess
import sys
import tempfile
import textwrap

from reference_entries import read_entries

MODULES = ("core", "extra", "math", "random", "standard", "target_info")


def signatures(tool):
    """name -> ("tl.exp(x)", whether it is a method, too)"""
    found = {}
    for line in subprocess.check_output([tool, "list", "--language"], text=True).splitlines():
        call, _, method = line.partition("  also ")
        found[re.match(r"tl\.(\w+)", call)[1]] = (call, bool(method))
    return found


# What rows about other functions are written with.
HELPERS = ("store", "load", "full", "zeros", "arange")


def subjects(text):
    """The functions that a row is about."""
    names = list(dict.fromkeys(re.findall(r"\btl\.(\w+)\(", text)))
    others = [name for name in names if name not in HELPERS]
    if others or re.search(r"\b(for|while)\b", text):
        return others
    return [name for name in HELPERS if name in names][:1]


def meanings(root):
    """name -> rows of the tables of meaning about it: (text, types, inputs, result, note)"""
    found = {}
    for file in sorted((root / "test/semantics").glob("*.txt")):
        text = types = ""
        for line in file.read_text().splitlines():
            if line.startswith("case "):
                text, _, types = line[5:].rpartition(" | ")
            elif line.startswith("  ") and "->" in line and text:
                values, _, note = line.strip().partition(" | ")
                inputs, _, result = values.partition("->")
                for name in subjects(text):
                    found.setdefault(name, []).append((text, types, inputs.strip(), result.strip(), note))
            elif not line.startswith("  "):
                text = ""
    return found


def run(path, engine):
    """What a program prints, in a process made by fork: numpy and the package are imported once."""
    with tempfile.TemporaryFile("w+") as printed:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.dup2(printed.fileno(), 1)
                os.dup2(printed.fileno(), 2)
                import tilewise
                tilewise.engines.set_default(engine)
                runpy.run_path(str(path), run_name="__main__")
                status = 0
            except BaseException as error:
                print(f"{type(error).__name__}: {error}")
            finally:
                sys.stdout.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        printed.seek(0)
        text = printed.read()
    if status or "Warning" in text:
        raise SystemExit(f"the example of {path.stem} failed or warned on the {engine} engine:\n{text}")
    return text


def output_of(entry, folder):
    path = folder / f"{entry.name}_example.py"
    path.write_text(entry.example())
    first, second = run(path, "reference"), run(path, "cpu")
    if first != second:
        raise SystemExit(f"the example of {entry.name} prints\n{first}on the reference engine, but\n{second}on the CPU")
    return first


def page(entry, signature, rows, printed):
    call, is_method = signature or (f"tl.{entry.name}", False)
    # As wide as a page of the site; parameters stand below each other.
    folded = textwrap.wrap(call, 76, subsequent_indent=" " * (call.find("(") + 1), break_long_words=False, break_on_hyphens=False)
    lines = [f"# tl.{entry.name}", "", *(f"    {line}" for line in folded), "", *entry.prose, ""]
    if is_method:
        lines += [f"Also a method: `x.{entry.name}(...)`, with `x` as the first argument.", ""]
    lines += ["## Example", "", "```python", entry.example().rstrip("\n"), "```", "", "```text", printed.rstrip("\n"), "```", ""]
    if rows:
        lines += ["## Exact results", "", "The tests run each row on every engine.", "", "| kernel text | types | inputs | result | |", "|---|---|---|---|---|"]
        for text, types, inputs, result, note in rows:
            cell = lambda value: value.replace("|", "\\|")
            lines.append(f"| `{cell(text)}` | {types.replace('->', '→')} | {cell(inputs)} | {cell(result)} | {cell(note)} |")
        lines.append("")
    links = ", ".join(f"[tl.{other}]({other}.md)" for other in entry.see)
    lines.append(f"See also: {links}. [All names](README.md)." if links else "[All names](README.md).")
    return "\n".join(lines) + "\n"


def first_sentence(entry):
    text = " ".join(entry.prose).strip()
    return re.split(r"(?<=[.:])\s", text)[0].rstrip(":.").replace("|", "\\|")


def index(entries, calls):
    lines = ["# The language, name by name", "",
             "`import triton.language as tl`: every name that a kernel can use, with its parameters, an example that runs as it is, and what the example prints. `dev/pages` generates these pages from the compiler's "
             "own table of functions (`tilewise list --language`) and from `docs/reference/entries`; a test runs every example on two engines.", "",
             "Operators are Python's: `+ - * / // % ** & | ^ ~ << >> == != < <= > >=`, `and`, `or` and `not` for scalars. [semantics.md](../semantics.md) defines their results, [engines.md](../engines.md) says which engine supports which types.", ""]
    family = None
    for entry in entries.values():
        if entry.family != family:
            family = entry.family
            lines += ["", f"## {family.rstrip('.')}", "", "| name | meaning |", "|---|---|"]
        lines.append(f"| [`{calls.get(entry.name, (f'tl.{entry.name}', 0))[0].partition('(')[0]}`]({entry.name}.md) | {first_sentence(entry)} |")
    return re.sub(r"\n\n\n+", "\n\n", "\n".join(lines)) + "\n"


def main():
    build, root, *update = sys.argv[1:]
    build, root = pathlib.Path(build).resolve(), pathlib.Path(root).resolve()
    sys.path.insert(0, str(build / "python"))
    import numpy  # noqa: F401
    import tilewise
    import tilewise.language as tl
    folder = root / "docs/reference"
    entries, calls, rows = read_entries(folder / "entries"), signatures(build / "bin/tilewise"), meanings(root)
    names = {*calls, *tl.__all__}
    if missing := sorted(names - set(entries)):
        raise SystemExit(f"docs/reference/entries has nothing for {', '.join(missing)}")
    if unknown := sorted(set(entries) - names):
        raise SystemExit(f"docs/reference/entries has {', '.join(unknown)}, which are no names of the language")
    for entry in entries.values():
        if lost := [other for other in entry.see if other not in entries]:
            raise SystemExit(f"{entry.name}: no page is called {lost}")
    with tempfile.TemporaryDirectory() as scratch:
        pages = {f"{entry.name}.md": page(entry, calls.get(entry.name), rows.get(entry.name), output_of(entry, pathlib.Path(scratch)))
                 for entry in entries.values()}
    pages["README.md"] = index(entries, calls)
    if update == ["--update"]:
        for old in folder.glob("*.md"):
            if old.name not in pages:
                old.unlink()
        for name, text in pages.items():
            (folder / name).write_text(text)
        return 0
    present = {path.name: path.read_text() for path in folder.glob("*.md")}
    wrong = sorted(name for name in {*pages, *present} if pages.get(name) != present.get(name))
    print(f"{len(pages)} pages" + (f"; not up to date, run dev/pages: {', '.join(wrong)}" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
