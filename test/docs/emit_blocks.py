"""Checks the IR shown in a document against what the tool prints now.

In the document a comment names the command and the fenced block after it shows the output:

    <!-- tilewise emit --stage=tile kernels/softmax.py --signature "..." -->
    ```mlir
    module {
      ...
    ```

`--update` rewrites the blocks.
"""

import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(<!-- (tilewise [^\n]*) -->\n```\w*\n)(.*?)(^```)", re.S | re.M)


def output_of(command, tool, root):
    """The command runs in a shell, so that a document may show the lines that a grep picks."""
    environment = dict(os.environ, PATH=f"{pathlib.Path(tool).parent}:/usr/bin:/bin")
    done = subprocess.run(["sh", "-c", command], cwd=root, capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise SystemExit(f"{command}\nexited with {done.returncode}:\n{done.stderr}")
    return done.stdout.rstrip("\n")


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
            if match[3].rstrip("\n") == printed:
                return match[0]
            if update:
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
