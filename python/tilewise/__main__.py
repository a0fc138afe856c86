"""python -m tilewise [--device=cpu] SCRIPT ... | -m MODULE ... | -c TEXT: runs a Python program in which `import triton` means Tilewise."""

import os
import runpy
import sys

from . import engines, redirect


def main():
    arguments = sys.argv[1:]
    while arguments and arguments[0].startswith("--"):
        option, _, value = arguments.pop(0).partition("=")
        if option == "--engine":
            engines.set_default(value)
        elif option == "--help":
            print(__doc__)
            return
        else:
            sys.exit(f"tilewise: unknown option {option}\n{__doc__}")
    if not arguments:
        sys.exit(__doc__)
    redirect.install()
    if arguments[0] == "-m" and len(arguments) > 1:
        sys.path.insert(0, os.getcwd())
        sys.argv = arguments[1:]
        if arguments[1] == "pytest":
            sys.argv[1:1] = ["-p", "tilewise.pytest_plugin"]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c" and len(arguments) > 1:
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments[2:]]
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
