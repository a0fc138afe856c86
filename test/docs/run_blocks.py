"""Runs the fenced code blocks of a document in order, in one scratch folder: run_blocks.py BUILD COMPILER DOCUMENT.

    ```sh            commands, with the built tools in PATH; a script of dev/ is only asked for its --help, since it would run this test
    ```cpp           a program, compiled against include/ and libtilewise.so, and run; without `main`, the body of one
    ```python        a program, run with the built package
    ```python file=NAME   a file for the blocks after it (a kernel, as a rule), not run; any language
    ```text          when it follows one of the above: what that printed

A page that says `<!-- needs torch -->` is left out where there is no torch.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w*) ?(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

BODY_OF_MAIN = """#include <tilewise/tilewise.hpp>

#include <chrono>
#include <cstdio>

int main() {
  using namespace tilewise::literals;
%s
}
"""


class Runner:
    def __init__(self, build, compiler, scratch):
        self.build, self.compiler, self.scratch = pathlib.Path(build).resolve(), compiler, pathlib.Path(scratch)
        path = os.pathsep.join([str(self.build / "bin"), os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": path, "PYTHONPATH": str(self.build / "python"), "PYTHONDONTWRITEBYTECODE": "1",
                            "TILEWISE_CACHE_DIR": str(self.scratch / "cache"), "TORCHINDUCTOR_CACHE_DIR": str(self.scratch / "inductor")}
        os.symlink(ROOT / "kernels", self.scratch / "kernels")
        (self.scratch / "build").mkdir()
        os.symlink(self.build, self.scratch / "build" / "release")

    def command(self, *command):
        result = subprocess.run(command, cwd=self.scratch, env=self.environment, text=True, capture_output=True, timeout=300)
        if result.returncode:
            raise AssertionError(f"exit code {result.returncode} of {command[-1]}\n{result.stdout}{result.stderr}")
        return result.stdout

    def sh(self, text):
        output = ""
        for line in text.splitlines():
            script = re.match(r"dev/[\w-]+", line)
            if script:
                self.command(str(ROOT / script.group()), "--help")
            elif line.strip() and not line.startswith("#"):
                output += self.command("bash", "-euc", line)
        return output

    def cpp(self, text):
        if "int main(" not in text:
            text = BODY_OF_MAIN % text
        (self.scratch / "block.cpp").write_text(text)
        library = self.build / "lib"
        self.command(self.compiler, "-std=c++20", "-O1", f"-I{ROOT / 'include'}", f"-I{self.build / 'include'}", "block.cpp", "-o", "block",
                     f"-L{library}", "-ltilewise", f"-Wl,-rpath,{library}")
        return self.command("./block")

    def python(self, text):
        (self.scratch / "block.py").write_text(text)
        return self.command(sys.executable, "block.py")


def run_document(document, runner):
    text = document.read_text()
    printed, count, failures = None, 0, 0
    for match in FENCE.finditer(text):
        language, attributes, body = match.groups()
        where = f"{document.relative_to(ROOT)}:{text[:match.start()].count(chr(10)) + 1}"
        named = re.match(r"file=(\S+)", attributes)
        try:
            if named:
                (runner.scratch / named.group(1)).write_text(body)
            elif language in ("sh", "cpp", "python"):
                printed = getattr(runner, language)(body)
                count += 1
                print(f"{where}: {language} block ran")
                continue
            elif language == "text" and printed is not None:
                assert printed.strip() == body.strip(), f"printed\n{printed}\ninstead of\n{body}"
                print(f"{where}: printed just that")
        except (AssertionError, OSError, subprocess.TimeoutExpired) as error:
            print(f"{where}: {language} block failed: {error}")
            failures += 1
        printed = None
    print(f"{count} blocks, {failures} failures")
    return failures


def main():
    build, compiler, document = sys.argv[1:]
    if "<!-- needs torch -->" in pathlib.Path(document).read_text() and importlib.util.find_spec("torch") is None:
        print("no torch here: nothing was run")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        return 1 if run_document(pathlib.Path(document).resolve(), Runner(build, compiler, scratch)) else 0


if __name__ == "__main__":
    sys.exit(main())
