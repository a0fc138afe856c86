"""Checks the IR shown in a document against what the tool prints now.

In the document a comment names the command and the fenced block after it shows the output:

    <!-- tilewise emit --stage=tile kernels/softmax.py --signature "..." -->
    ```mlir
    module {
      ...
    ```

A line "..." stands for any number of lines. `--update` rewrites each block that has no such line.
"""

import pathlib
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r"(<!-- (tilewise [^\n]*) -->\n```\w*\n)(.*?)(^```)", re.S | re.M)


def output_of(command, tool, root):
    words = shlex.split(command)
    done = subprocess.run([tool, *words[1:]], cwd=root, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}\nexited with {done.returncode}:\n{done.stderr}")
    return done.stdout.rstrip("\n")


def matches(shown, printed):
    """True when the pieces between "..." lines occur in the output in order, the first and last at its ends."""
    pieces = [piece.strip("\n") for piece in re.split(r"^\s*\.\.\.$", shown, flags=re.M)]
    if len(pieces) == 1:
        return shown == printed
    at = 0
    for index, piece in enumerate(pieces):
        found = printed.find(piece, at)
        if found < 0 or (index == 0 and found != 0):
            return False
        at = found + len(piece)
    return pieces[-1] == "" or at == len(printed)


def main():
    arguments = [word for word in sys.argv[1:] if word != "--update"]
    update = len(arguments) != len(sys.argv) - 1
    tool, root, *documents = arguments
    wrong = 0
    count = 0
    for document in documents:
        path = pathlib.Path(document)
        text = path.read_text()

        def check(match):
            nonlocal wrong, count
            count += 1
            printed = output_of(match[2], tool, root)
            if matches(match[3].rstrip("\n"), printed):
                return match[0]
            if update and "..." not in match[3].split():
                return match[1] + printed + "\n" + match[4]
            wrong += 1
            print(f"{path}: the block of '{match[2]}' differs from what is printed now:\n{printed}\n")
            return match[0]

        changed = BLOCK.sub(check, text)
        if update and changed != text:
            path.write_text(changed)
    print(f"{count} blocks, {wrong} differ")
    return 1 if wrong or not count else 0


sys.exit(main())
