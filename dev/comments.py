"""dev/comments.py FILE...: fails on a comment of C++ that goes beyond column 100; examples and tables may.

An example or a table is a whole-line comment whose text is indented by four blanks or more, or begins with a bar. Prints `file:line: what is
wrong` to stdout; nothing when all is in order. `dev/lint` calls it with every C++ file.
"""
import re
import sys

WIDTH = 100
# What a comment cannot begin in: literals. Raw ones may be of many lines.
TOKEN = re.compile(r'''R"(?P<mark>[^ ()\\]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/''', re.DOTALL)
EXAMPLE = re.compile(r"\s*(?://[/!]?<?|/?\*)?(?:     *\S|\s*\|)")


def comments(text):
    """Each line of each comment: its number, the whole line, and what the comment has of it."""
    lines = text.split("\n")
    for match in TOKEN.finditer(text):
        if not match[0].startswith(("//", "/*")):
            continue
        first = text.count("\n", 0, match.start())
        for number, part in enumerate(match[0].split("\n"), first):
            yield number + 1, lines[number], part


def too_long(text):
    return [number for number, line, part in comments(text)
            if len(line) > WIDTH and line.rstrip().endswith(part.rstrip()) and not (line.strip() == part.strip() and EXAMPLE.match(part))]


def main(files):
    failed = False
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number in too_long(file.read()):
                print(f"{path}:{number}: a comment goes beyond column {WIDTH}; wrap it, or put it above its line")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
