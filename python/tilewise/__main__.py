"""python -m tilewise [--device=cpu] [--engine=cpu|reference] SCRIPT ... | -m MODULE ... | -c TEXT | learn ... | analyze ... | bench ... | tune --ray ...

`learn` is the course, `analyze` counts what a kernel does to memory, `bench` compares the kernel library with separate operations, `tune --ray` tunes
on the machines of a cluster: each has --help. All else runs a Python program in which `import triton` means
Tilewise. With --device=cpu a program written for a GPU runs without one."""

import linecache
import os
import runpy
import sys

from . import engines, knobs, redirect


#: Parts of the tool that are written in Python: `tilewise learn`, ...
COMMANDS = {"learn": ".learn.commands", "analyze": ".analysis_command", "bench": ".comparisons.command", "tune": ".machines"}


def run_command(name, words):
    """One of COMMANDS; gives its exit code."""
    from importlib import import_module
    return import_module(COMMANDS[name], __package__).main(words)


def _set_device(name):
    if name not in ("cpu", "cuda"):
        sys.exit(f"tilewise: --device is cpu or cuda, not '{name}'")
    knobs.runtime.cuda_as_cpu = name == "cpu"  # it writes the variable: processes that the program starts see it, too
    if name == "cpu":
        from . import cuda_as_cpu
        cuda_as_cpu.watch()


def _show(kind, error, trace):
    """An error of the program, without the frames that started it."""
    ours = os.path.dirname(__file__) + os.sep
    first = trace
    while first is not None and (first.tb_frame.f_code.co_filename.startswith(ours) or first.tb_frame.f_globals.get("__name__") == "runpy"):
        first = first.tb_next
    sys.__excepthook__(kind, error.with_traceback(first), first)
    from .cuda_as_cpu import no_gpu
    if no_gpu.is_missed(str(error)):
        print(no_gpu.WAY_OUT, file=sys.stderr)


def main():
    arguments = sys.argv[1:]
    while arguments and arguments[0].startswith("--"):
        option, _, value = arguments.pop(0).partition("=")
        if option == "--engine":
            engines.set_default(value)
        elif option == "--device":
            _set_device(value)
        elif option == "--help":
            print(__doc__)
            return
        else:
            sys.exit(f"tilewise: unknown option {option}\n{__doc__}")
    if not arguments:
        sys.exit(__doc__)
    if arguments[0] in COMMANDS and not os.path.isfile(arguments[0]):
        sys.exit(run_command(arguments[0], arguments[1:]))
    redirect.install()
    redirect.install_for_children()
    sys.excepthook = _show
    if arguments[0] == "-m" and len(arguments) > 1:
        sys.path.insert(0, os.getcwd())
        sys.argv = arguments[1:]
        if arguments[1] == "pytest":
            sys.argv[1:1] = ["-p", "tilewise.pytest_plugin"]
        package, dot, rest = arguments[1].partition(".")
        module = f"tilewise.{rest}" if package == "triton" and dot else arguments[1]  # runpy asks a module's own loader by name
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif arguments[0] == "-c" and len(arguments) > 1:
        sys.path.insert(0, "")
        sys.argv = ["-c", *arguments[2:]]
        # So that kernels in it are found, and errors show its lines.
        linecache.cache["<string>"] = (len(arguments[1]), None, arguments[1].splitlines(keepends=True), "<string>")
        exec(compile(arguments[1], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        sys.argv = arguments
        runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main()
