"""Reads the fenced Python blocks of a folder of documents (TILEWISE_SEEDS) and runs one in a process of its own, at the lines it has there."""

import os
import pathlib
import re
import subprocess
import sys

FOLDER = os.environ.get("TILEWISE_SEEDS")


class Block:
    """One fenced block: `line` is its opening fence's, from 1. Slides hide lines behind `///`, which is not part of the code."""

    def __init__(self, seed, line, lines):
        self.seed = seed
        self.line = line
        self.text = "\n".join(re.sub(r"^/// ?", "", text) for text in lines) + "\n"

    def line_of(self, text):
        """The document's line that holds a text."""
        (at,) = [i for i, line in enumerate(self.text.splitlines()) if text in line]
        return self.line + 1 + at


def read(folder):
    """Every block of the folder: {(seed, line): Block}. A document's seed is the number its name begins with."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("[0-9][0-9][0-9]_*.txt")):
        lines = path.read_text().split("\n")
        at = 0
        while at < len(lines):
            if re.match(r"``` ?python", lines[at]):
                end = next(i for i in range(at + 1, len(lines)) if lines[i].rstrip() == "```")
                found[path.name[:3], at + 1] = Block(path.name[:3], at + 1, lines[at + 1:end])
                at = end
            at += 1
    return found


IMPORTS = "import numpy as np\nimport triton\nimport triton.language as tl\n"


class Runner:
    """Runs a block between a wrapper's two halves. The block keeps its line numbers."""

    def __init__(self, folder, block):
        self.folder = folder
        self.block = block

    def __call__(self, before="", after="", options=(), change=(), indent=0, **environment):
        text = self.block.text
        for old, new in change:
            assert old in text, f"{old!r} is not in the block"
            text = text.replace(old, new)
        text = "".join(" " * indent + line if line.strip() else line for line in text.splitlines(keepends=True))
        path = self.folder / f"block_{self.block.seed}.py"
        path.write_text("\n" * (self.block.line - before.count("\n")) + before + text + after)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TILEWISE_CUDA", "TRITON_", "TILEWISE_ENGINE"))}
        return subprocess.run([sys.executable, "-m", "tilewise", *options, path.name], cwd=self.folder, env={**inherited, **environment},
                              capture_output=True, text=True, timeout=300)

    def good(self, *arguments, **named):
        """The same, of which nothing may go wrong; what it printed."""
        done = self(*arguments, **named)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def bad(self, *arguments, **named):
        """The same, which must fail; its last words."""
        done = self(*arguments, **named)
        assert done.returncode == 1, done.stdout + done.stderr
        return done.stderr
