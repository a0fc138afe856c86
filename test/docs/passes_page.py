"""docs/passes.md: every pass of every engine, in the order in which it runs.

Made from the Passes.td files (any number of them), which say what a pass does, and from tilewise-opt, which knows the pipelines and every pass
that there is.

    passes_page.py TBLGEN TILEWISE_OPT ROOT            exits 1 when the page is not what it would be now
    passes_page.py TBLGEN TILEWISE_OPT ROOT --update   writes it
"""

import itertools
import json
import pathlib
import re
import subprocess
import sys
import textwrap

PAGE = "docs/passes.md"
HEAD = """# Passes

Every pass of every engine. `dev/pages` generates this page from the `Passes.td` files and from the pipelines of `tilewise-opt`; a test keeps it up to date.
[contributing/pass.md](contributing/pass.md) explains how to add a pass.

`tilewise-opt --NAME file.mlir` runs one pass or pipeline, `tilewise emit --print-changed` shows what each pass changes in a kernel, and `--time-passes` shows how long each takes.
"""
# In the order of the walk; each is the driver's own.
PIPELINES = {
    "tile-optimize": "the stage `opt`, for every engine",
    "tile-to-cpu": "the stage `cpu`",
    "cpu-to-llvm-dialect": "the LLVM dialect",
    "tile-to-nvidia": "the stage `nvidia`",
    "nvidia-to-llvm": "the LLVM dialect",
}
OURS = re.compile(r"(tile|cpu|gpu|nvidia|llvm)-")


class Pass:
    """What a Passes.td says of one."""

    def __init__(self, record, options):
        self.flag = record["argument"]
        self.line = int(record["!locs"][0].rpartition(":")[2])
        self.summary = record["summary"]
        self.description = textwrap.dedent(record["description"]).strip("\n")
        self.options = options

    def text(self, where):
        lines = [f"### `{self.flag}`", "", self.summary, ""]
        if self.description:
            lines += [self.description, ""]
        if self.options:
            lines += ["| option | meaning | default |", "|---|---|---|"]
            lines += [f"| `{name}` | {meaning} | {f'`{default}`' if default else ''} |" for name, meaning, default in self.options] + [""]
        runs = ", ".join(f"`{pipeline}`" for pipeline in where.get(self.flag, ()))
        return "\n".join(lines + [f"Runs in {runs}." if runs else "Part of no pipeline."]) + "\n"


def passes_of(file, tblgen, root):
    """The passes that one Passes.td declares, in their order there, and the sentence at the file's head."""
    include = pathlib.Path(subprocess.check_output([tblgen.replace("tblgen", "config"), "--includedir"], text=True).strip())
    done = subprocess.run([tblgen, "--dump-json", "-I", str(include), "-I", str(root / "src"), str(file)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{file}: {done.stderr}")
    records = json.loads(done.stdout)

    def options_of(record):
        given = [records[option["def"]] for option in record["options"]]
        return [(option["argument"], option["description"], option.get("defaultValue") or "") for option in given]

    found = [Pass(records[name], options_of(records[name])) for name in records["!instanceof"]["PassBase"]]
    lines = itertools.takewhile(lambda line: line.startswith("// "), file.read_text().splitlines())
    head = " ".join(line.removeprefix("// ") for line in lines)
    return sorted(found, key=lambda one: one.line), head


def pipeline(name, tool):
    """The flags of a pipeline's passes, in order; None when this build has no such pipeline."""
    done = subprocess.run([tool, f"--{name}", "--dump-pass-pipeline"], input="module {}", capture_output=True, text=True)
    text = re.sub(r"\{[^{}]*\}", "", next((line for line in done.stderr.splitlines() if line.startswith("builtin.module(")), ""))
    return re.findall(r"[a-z][a-z0-9-]+", re.sub(r"(builtin\.module|func\.func)\(", "(", text)) or None


def registered(tool):
    """The flag of every pass of ours that tilewise-opt knows."""
    text = subprocess.check_output([tool, "--help"], text=True).partition("Passes:")[2].partition("Pass Pipelines:")[0]
    return {flag for flag in re.findall(r"^ {6}--([a-z][a-z0-9-]*) +- ", text, re.M) if OURS.match(flag)}


def page(tblgen, tool, root):
    pipelines = {name: pipeline(name, tool) for name in PIPELINES}
    missing = [name for name, flags in pipelines.items() if flags is None]
    if missing:
        raise SystemExit(f"tilewise-opt has no pipeline {missing}: the page is written by a build with every engine")
    where = {}
    for name, flags in pipelines.items():
        for flag in dict.fromkeys(flags):
            where.setdefault(flag, []).append(name)
    text = HEAD + "\n## Pipelines\n\n| pipeline | gives | passes |\n|---|---|---|\n"
    for name, flags in pipelines.items():
        text += f"| `{name}` | {PIPELINES[name]} | {', '.join(f'`{flag}`' for flag in flags)} |\n"
    text += "\n`canonicalize`, `cse` and `loop-invariant-code-motion` are MLIR's.\n"
    known = registered(tool)
    for file in sorted((root / "src").rglob("Passes.td"), key=lambda path: (len(path.parts), path)):
        found, head = passes_of(file, tblgen, root)
        text += f"\n## `{file.relative_to(root)}`\n\n{head}\n"
        for one in found:
            if one.flag not in known:
                raise SystemExit(f"{file}: the pass {one.flag} is not registered with tilewise-opt")
            known.remove(one.flag)
            text += "\n" + one.text(where)
    if known:
        raise SystemExit(f"no Passes.td declares {sorted(known)}")
    return text


def main():
    tblgen, tool, root, *update = sys.argv[1:]
    root = pathlib.Path(root)
    path, text = root / PAGE, page(tblgen, tool, root)
    if update == ["--update"]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print(f"{PAGE} is not up to date: run dev/pages")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
