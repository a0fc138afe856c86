"""Writes docs/compatibility.md: every public name of upstream Triton, whether Tilewise has it, and what to use instead.

The page is made from the built package and five files in test/compatibility:
- names.txt: upstream's public names by module; --names writes this file.
- reasons.txt: "NAME | no or partly | why, and what instead". NAME is a name, or a module, which stands for all of its names.
- tests.txt: "FILE | TESTS | why": each group of upstream's tests that fails, as dev/conformance reports them.
- clients.txt: "FILE | tests | pass | skipped | fail | of those that fail": test suites of programs that use Triton.
- operators.txt: "TYPE | operators | by kernels | without | not applicable | fail", as dev/opinfo prints them.
A name that the package has counts as supported, unless it has a reason; a name that it lacks must have one.
The package is looked for in PYTHONPATH, then in build/release/python.
"""

import argparse
import ast
import contextlib
import importlib
import inspect
import io
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUTS = ROOT / "test/compatibility"
PAGE = ROOT / "docs/compatibility.md"

MODULES = """
    triton triton.language triton.language.core triton.language.math triton.language.standard triton.language.random triton.language.target_info
    triton.language.extra.libdevice triton.language.extra.cuda triton.language.extra.hip triton.language.semantic
    triton.runtime triton.runtime.jit triton.runtime.autotuner triton.runtime.cache triton.runtime.driver triton.runtime.errors
    triton.runtime.interpreter triton.runtime.build triton.testing triton.errors triton.knobs
    triton.compiler triton.compiler.compiler triton.compiler.code_generator triton.compiler.errors triton.compiler.make_launcher
    triton.backends triton.backends.compiler triton.backends.driver
    triton.tools.tensor_descriptor triton.tools.mxfp triton.tools.ragged_tma triton.tools.disasm triton.tools.build_extern triton.tools.link
    triton.tools.compile triton.experimental.gluon triton.profiler
""".split()
# Classes whose methods and attributes programs use, and the groups of knobs.
CLASSES = """
    triton.language.tensor triton.language.constexpr triton.language.dtype triton.runtime.JITFunction triton.runtime.Autotuner
    triton.runtime.Config triton.testing.Benchmark triton.compiler.CompiledKernel triton.compiler.ASTSource
""".split()


def load(name):
    """The module or class of this dotted name, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        outer, _, inner = name.rpartition(".")
        return getattr(load(outer), inner, None) if outer else None


def public_names(module):
    """What a module offers: its __all__, else what is made in it."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__)
    found = []
    for name, value in vars(module).items():
        home = getattr(value, "__module__", None) or type(value).__module__
        if not name.startswith("_") and len(name) > 1 and not inspect.ismodule(value) and home == module.__name__:
            found.append(name)
    return sorted(found)


def members(cls):
    return sorted({name for base in cls.__mro__[:-1] if base.__module__.startswith("triton") for name in vars(base) if not name.startswith("_")})


def upstream_names(folder):
    """{module or class: names} of the package in a folder."""
    sys.path.insert(0, str(folder))
    import triton
    groups = {}
    for name in MODULES:
        try:
            groups[name] = public_names(importlib.import_module(name))
        except ImportError as error:
            print(f"{name}: {error}", file=sys.stderr)
    for name in CLASSES:
        groups[name] = members(load(name))
    for name, value in vars(triton.knobs).items():
        if isinstance(value, triton.knobs.base_knobs):
            groups[f"triton.knobs.{name}"] = [name for name in members(type(value)) if name not in vars(triton.knobs.base_knobs)]
    return triton.__version__, groups


def write_names(folder):
    version, groups = upstream_names(folder)
    lines = [f"version: {version}"]
    lines += [f"{group}: {' '.join(names)}" for group, names in groups.items() if names]
    (INPUTS / "names.txt").write_text("\n".join(lines) + "\n")


def read_names():
    pairs = [line.partition(": ")[::2] for line in (INPUTS / "names.txt").read_text().splitlines()]
    return {group: names.split() for group, names in pairs}


def read_table(name, columns):
    rows = [[cell.strip() for cell in line.split(" | ", columns - 1)] for line in (INPUTS / name).read_text().splitlines()
            if line and not line.startswith("#")]
    for row in rows:
        if len(row) != columns:
            raise ValueError(f"{name}: '{' | '.join(row)}' has {len(row)} of {columns} columns")
    return rows


def names_of(group, asked):
    """Which of these names are in the package's module or class of that name."""
    if group == "triton.language.tensor":
        return members_in_kernels(asked)
    name = "tilewise" + group.removeprefix("triton")
    ours = load(name)
    if ours is not None:
        return set(dir(ours))  # hasattr would ask knobs for programs that may not be installed
    # A module that needs torch, where there is none.
    file = pathlib.Path(sys.modules["tilewise"].__file__).parents[1] / f"{name.replace('.', '/')}.py"
    return {node.name for node in ast.parse(file.read_text()).body if hasattr(node, "name")} if file.exists() else set()


def members_in_kernels(asked):
    """Which of these names a block has inside a kernel."""
    import tilewise as triton
    import tilewise.language as tl

    @triton.jit
    def ask(names: tl.constexpr):
        block = tl.full([4, 4], 0, tl.int32)
        for i in tl.static_range(len(names)):
            tl.static_print(names[i], hasattr(block, names[i]))

    with contextlib.redirect_stdout(io.StringIO()) as told:
        ask.warmup(tuple(asked), grid=(1,))
    return {line.split()[0] for line in told.getvalue().splitlines() if line.split()[1] == "True"}


def classify(groups, reasons):
    """{group: {name: (kind, reason)}} with kind "yes", "partly" or "no", and what is wrong with the table of reasons."""
    import tilewise  # noqa: F401 (found before any name of it is asked for)
    used, wrong, result = set(), [], {}
    for group, names in groups.items():
        there = names_of(group, names)
        result[group] = {}
        for name in names:
            has = name in there
            key = next((key for key in (f"{group}.{name}", group) if key in reasons), None)
            if key is None:
                if not has:
                    wrong.append(f"{group}.{name}: the package lacks it, and reasons.txt does not say why")
                result[group][name] = ("yes", "")
                continue
            used.add(key)
            kind, reason = reasons[key]
            if kind == "partly" and not has:
                wrong.append(f"{group}.{name}: reasons.txt says partly, but the package lacks it")
            # A module's "no" is about the names it lacks, its "partly" about all.
            result[group][name] = ("yes", "") if key == group and has and kind == "no" else (kind, reason)
    wrong += [f"{key}: in reasons.txt, but not needed" for key in reasons if key not in used]
    return result, wrong


def render():
    """The page's text, and what is wrong with its inputs."""
    groups = read_names()
    version = groups.pop("version")[0]
    rows = read_table("reasons.txt", 3)
    classes, wrong = classify(groups, {name: (kind, reason) for name, kind, reason in rows})
    counts = {kind: sum(found == kind for names in classes.values() for found, _ in names.values()) for kind in ("yes", "partly", "no")}
    lines = ["# Compatibility with Triton", "",
             f"What programs written for Triton {version} find in Tilewise. The page is made by `dev/compatibility`; a test compares it with the package.",
             "", f"Of {sum(counts.values())} public names, {counts['yes']} are there, {counts['partly']} in part and {counts['no']} not.",
             "", "## Names", "", "| in | names | there | in part | not |", "|---|---|---|---|---|"]
    for group, names in classes.items():
        kinds = [kind for kind, _ in names.values()]
        lines.append(f"| `{group}` | {len(kinds)} | {kinds.count('yes')} | {kinds.count('partly') or ''} | {kinds.count('no') or ''} |")
    lines += ["", "### What is not there, or only in part", "", "| names | there | why, and what instead |", "|---|---|---|"]
    told = {}
    for group, names in classes.items():
        for name, (kind, reason) in names.items():
            if kind != "yes":
                told.setdefault((group, kind, reason), []).append(name)
    for (group, kind, reason), names in told.items():
        if len(names) == len(classes[group]) > 1:
            lines.append(f"| all of `{group}` | {kind} | {reason} |")
        else:
            lines.append(f"| in `{group}`: {', '.join(f'`{name}`' for name in names)} | {kind} | {reason} |")
    lines += ["", "### What is there", ""]
    for group, names in classes.items():
        there = [f"`{name}`" for name, (kind, _) in names.items() if kind == "yes"]
        if there:
            lines.append(f"- `{group}`: {', '.join(there)}")
    lines += ["", "## Upstream's tests that fail", "",
              "`dev/conformance` runs upstream's own tests (here of its commit f4fca2c0bc) in compiled and in interpreter mode. Of those that ran, with what goes",
              "beyond the time limit counted as failed, the reference engine passed 99.1 % of the cases marked for the interpreter when compiled, 99.7 % of them",
              "when interpreted, and 96.9 % of the rest. Of a sample on the CPU engine (`--engine cpu --mode compiled --sample 4`: at most four cases of each test",
              "function, so that those with few cases count for more) 445 of 458 marked cases passed, and 224 of 251 of the rest. These groups fail:", "",
              "| file | tests | why |", "|---|---|---|"]
    lines += [f"| {file} | {tests} | {why} |" for file, tests, why in read_table("tests.txt", 3)]
    lines += ["", "## torch's operators under torch.compile", "",
              "`dev/opinfo` sends every operator of torch's own table (OpInfo, torch 2.13) through `torch.compile(backend=\"tilewise\")`, one sample of each, and",
              "compares with eager torch. *Without a kernel* are those that Inductor leaves to torch's own code; *not applicable* those that torch's tracer refuses",
              "by itself, or whose values are undefined. None fails:", "",
              "| type | operators | agree, by kernels | agree, without a kernel | not applicable | fail |", "|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in read_table("operators.txt", 6)]
    lines += ["", "## Test suites of programs that stand on Triton", "",
              "Test files of torch (of June 2026, run with torch 2.13) and of Helion (of August 2026), as they are, on CPU tensors with one thread. Tests of torch that",
              "ask for a GPU get the CPU under that name, with `tilewise.install()`; `test_triton_cpu_backend`, which has the tests of `test_torchinductor`, runs with",
              "`backend=\"tilewise\"`. *Skipped* are those that their own conditions leave out, as for other hardware.", "",
              "| file | tests | pass | skipped | fail | of those that fail |", "|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in read_table("clients.txt", 6)]
    return "\n".join(lines) + "\n", wrong


def main():
    parser = argparse.ArgumentParser(prog="dev/compatibility", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", type=pathlib.Path, metavar="PATH", help="write names.txt from the upstream package in this folder")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the page is out of date")
    options = parser.parse_args()
    if options.names:
        write_names(options.names.resolve())
        return 0
    sys.path.append(str(ROOT / "build/release/python"))
    text, wrong = render()
    for line in wrong:
        print(line, file=sys.stderr)
    if options.check and PAGE.read_text() != text:
        print(f"{PAGE.relative_to(ROOT)} is not what dev/compatibility would write", file=sys.stderr)
        return 1
    if not options.check:
        PAGE.write_text(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
