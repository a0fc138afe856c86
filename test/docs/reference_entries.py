"""The entries of the reference (docs/reference/entries): prose and an example for each name of the language, read from their text files.

    = arange                 one name, or several that share an entry; {name} and the words of words.json are put in
    prose, as Markdown
    see: full, load          other pages
    grid: 3, 2               programs of the example; (1,) when none is given
    x: float32 [1, 2]        an input: its type and values
    out: int32 2, 4          the result: its type and shape
    fill: 6                  what the result holds before, when not 0
    show: out[:2]            what is printed, when not all of `out`
    code:                    the rest: lines from column 0 go before the kernel, indented ones are its body
    program:                 ... or a whole program
"""

import json
import re

DIRECTIVE = re.compile(r"^(see|grid|out|fill|show|[a-z]): (.+)$")
HEAD = """import numpy as np
import tilewise

tilewise.install()
import triton
import triton.language as tl

"""


class Entry:

    def __init__(self, name, family, lines):
        self.name, self.family = name, family
        self.prose, self.see, self.grid, self.out, self.show, self.fill, self.inputs = [], [], "(1,)", None, None, None, {}
        self.code, self.program = [], None
        for number, line in enumerate(lines):
            if line in ("code:", "program:"):
                rest = lines[number + 1:]
                self.code, self.program = (rest, None) if line == "code:" else ([], "\n".join(rest).strip() + "\n")
                break
            found = DIRECTIVE.match(line)
            if not found:
                self.prose.append(line)
            elif found[1] == "see":
                self.see = [each.strip() for each in found[2].split(",")]
            elif found[1] == "grid":
                self.grid = f"({found[2].strip()}{'' if ',' in found[2] else ','})"
            elif found[1] == "out":
                self.out = found[2].split(" ", 1)
            elif found[1] in ("show", "fill"):
                setattr(self, found[1], found[2])
            else:
                self.inputs[found[1]] = found[2].split(" ", 1)

    def example(self):
        """The whole program."""
        if self.program is not None:
            return HEAD + ("\n" if self.program.startswith("@") else "") + self.program
        before = "\n".join(line for line in self._split()[0]).strip("\n")
        body = "\n".join(self._split()[1]).strip("\n")
        pointers = ", ".join([f"{name}_ptr" for name in self.inputs] + ["out_ptr"])
        kind, shape = self.out
        arrays = [f"{name} = np.array({values.replace('nan', 'np.nan')}, np.{kind})\n" for name, (kind, values) in self.inputs.items()]
        return (HEAD + (f"\n{before}\n\n" if before else "") + f"\n@triton.jit\ndef example({pointers}):\n{body}\n\n\n" + "".join(arrays)
                + f"out = np.{'full' if self.fill else 'zeros'}({f'({shape})' if ',' in shape else shape}, {self.fill + ', ' if self.fill else ''}np.{kind})\n"
                + f"example[{self.grid}]({', '.join([*self.inputs, 'out'])})\nprint({self.show or 'out'})\n")

    def _split(self):
        """Lines before the kernel, and its body: what follows the last blank line after which all is indented."""
        first = len(self.code)
        while first > 0 and (not self.code[first - 1].strip() or self.code[first - 1].startswith("    ")):
            first -= 1
        if first == 0:
            return [], self.code
        # The indented lines that belong to a helper end at the first blank line.
        while first < len(self.code) and self.code[first].strip():
            first += 1
        if re.search(r"^class ", "\n".join(self.code), re.M):  # a class has blank lines inside: its kernel begins after the last of them
            first = max(number for number, line in enumerate(self.code) if not line.strip() and any(each.strip() for each in self.code[number + 1:]))
        return self.code[:first], self.code[first:]


def read_entries(folder):
    """Every entry by name, in the order of the files; a name that is there twice is an error."""
    words = json.loads((folder / "words.json").read_text())
    entries = {}
    for file in sorted(folder.glob("*.txt")):
        text = file.read_text()
        family = text.splitlines()[0].lstrip("# ")
        for part in re.split(r"^= ", text, flags=re.M)[1:]:
            heading, _, rest = part.partition("\n")
            for name in heading.split():
                filled = re.sub(r"\{(name|words|sign|short|long|other|type|round|extra|memory|member)\}", lambda found: {"name": name, **words.get(name, {})}[found[1]], rest)
                if name in entries:
                    raise SystemExit(f"{file}: '{name}' is there twice")
                entries[name] = Entry(name, family, filled.rstrip("\n").split("\n"))
    return entries
