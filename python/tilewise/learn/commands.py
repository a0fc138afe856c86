"""tilewise learn: progress, show, check, hint, solution, bench, workshop, reset."""

import copy
import difflib
import sys
import time

from .course import Workspace, find_step, steps

HELP = """usage: tilewise learn [COMMAND] [STEP] [--dir=FOLDER]

A course in writing kernels, from vector add to attention. It needs Python with numpy, and no GPU.

  tilewise learn               what is done, and what is next
  tilewise learn show 3        the text of step 3; puts its exercise into your folder
  tilewise learn check 3       runs your answer and says what is wrong with it, or that it is right
  tilewise learn hint 3        one more hint
  tilewise learn solution 3    an answer, with nothing hidden
  tilewise learn bench 3       times your answer against numpy
  tilewise learn workshop      four exercises and five phases as files to finish and run, put into ./tilewise-workshop or the folder of --dir
  tilewise learn reset [3]     back to the exercise (your file is kept with the ending .old); without a step, all of them

Your files are in ./tilewise-course, or in the folder of --dir."""


def _render(step, workspace):
    """The lesson, with the pictures that its code makes."""
    lines = []
    for line in step.lesson.splitlines():
        if line.strip() == "[picture]":
            from .picture import Shown
            lines.append(Shown(step).text())
        else:
            lines.append(line)
    return "\n".join(lines).replace("FILE", str(workspace.file_of(step)))


def _show(step, workspace):
    was_put = workspace.prepare(step)
    print(_render(step, workspace))
    print(f"\n{'The exercise is now in' if was_put else 'Your answer is in'} {workspace.file_of(step)}; check it with: {workspace.command('check', step)}")
    return 0


def _progress(workspace):
    everything = steps()
    done = sum(bool(workspace.state(step).get("done")) for step in everything)
    print(f"{done} of {len(everything)} steps done{'' if workspace.folder.is_dir() else ' (nothing begun yet)'}\n")
    following = next((step for step in everything if not workspace.state(step).get("done")), None)
    for step in everything:
        state = workspace.state(step)
        mark = "x" if state.get("done") else ">" if step is following else " "
        extra = " (solution seen)" if state.get("solution") else ""
        print(f" [{mark}] {step.number:2}  {step.title}{extra}")
    print(f"\nnext: {workspace.command('show', following)}" if following else "\nAll done. Write a kernel of your own.")
    return 0


def _check(step, workspace):
    from .checker import Checker
    from .source import Found
    path = workspace.file_of(step)
    if not path.exists():
        workspace.prepare(step)
        print(f"{path} was not there yet: the exercise is in it now. Read '{workspace.command('show', step)}', write your answer, and check again.")
        return 1
    try:
        checker = Checker(step.task, path)
        count = checker.run()
    except Found as found:
        workspace.note(step, tries=workspace.state(step).get("tries", 0) + 1)
        print(f"not yet. {found}")
        print(f"stuck? {workspace.command('hint', step)}")
        return 1
    workspace.note(step, done=True)
    print(f"right: {count} cases, line by line with every access checked, and compiled on the reference and CPU engines.")
    for text in checker.advice:
        print(f"but note: {text}")
    later = [each for each in steps() if not workspace.state(each).get("done")]
    print(f"next: {workspace.command('show', later[0])}" if later else "That was the last step.")
    return 0


def _hint(step, workspace):
    hints = step.task.hints
    seen = workspace.state(step).get("hints", 0)
    for number, text in enumerate(hints[:seen + 1], 1):
        print(f"hint {number} of {len(hints)}: {text}")
    if seen >= len(hints):
        print(f"that was all; '{workspace.command('solution', step)}' shows an answer")
    workspace.note(step, hints=min(seen + 1, len(hints)))
    return 0


def _solution(step, workspace):
    workspace.note(step, solution=True)
    print(step.solution.read_text(encoding="utf-8"), end="")
    return 0


def _best(call, least=0.3):
    """The fastest of as many calls as fit into `least` seconds, in milliseconds; the first compiles and does not count."""
    call()
    best, end = float("inf"), time.perf_counter() + least
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def _bench(step, workspace):
    from . import source
    from .checker import SECONDS
    from .patience import TooLong, at_most
    from .source import Found
    task = step.task
    path = workspace.file_of(step)
    if not path.exists():
        print(f"there is no {path} yet: begin with '{workspace.command('show', step)}'")
        return 1
    try:
        text, tree = source.parse(path)
        source.check_finished(text, tree)
        module = source.import_file(path)
        case = task.bench()
        kernel, _ = source.find_kernel(module, task.kernel, case.arguments)
        # What the configs of a tuned kernel choose is not given.
        chosen = {name for config in getattr(kernel, "configs", ()) for name in config.kwargs}
        arguments = {name: value for name, value in copy.deepcopy(case.arguments).items() if name not in chosen}
        with at_most(SECONDS):
            yours = _best(lambda: kernel[case.grid](**arguments))
    except Found as found:
        print(f"not yet. {found}")
        return 1
    except TooLong:
        print(f"not yet. After {SECONDS} seconds the kernel is still running; does every loop come to its end?")
        return 1
    except Exception as error:  # the learner's kernel does not compile or run
        print(f"not yet. {error}\nmore about it: {workspace.command('check', step)}")
        return 1
    theirs = _best(lambda: task.rival(case.arguments))
    moved = sum(array.nbytes for array in case.arguments.values() if hasattr(array, "nbytes"))
    print(f"{case.says}: yours {yours:.3f} ms ({moved / yours / 1e6:.1f} GB/s if each byte moves once), {task.rival_name} {theirs:.3f} ms: "
          f"{theirs / yours:.2f} times as fast")
    return 0


def _workshop(folder):
    from .workshop import copy_to
    print(f"{copy_to(folder)} files are now in {folder}; begin with its README.md, or: cd {folder} && python3 exercises/exercise_1.py")
    return 0


_COMMANDS = {"show": _show, "check": _check, "hint": _hint, "solution": _solution, "bench": _bench}


def main(words):
    try:
        return _main(words)
    except BrokenPipeError:  # as in `tilewise learn show 3 | head`
        return 0
    except OSError as error:
        print(f"tilewise learn: {error.strerror}: '{error.filename}'", file=sys.stderr)
        return 1


def _main(words):
    folder, rest = None, []
    words = iter(words)
    for word in words:
        if word.startswith("--dir="):
            folder = word.partition("=")[2]
        elif word == "--dir":
            folder = next(words, None)
        elif word in ("--help", "-h", "help"):
            print(HELP)
            return 0
        else:
            rest.append(word)
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("tilewise learn: numpy is missing; install it with: pip install numpy", file=sys.stderr)
        return 1
    if rest == ["workshop"]:
        return _workshop(folder or "tilewise-workshop")
    workspace = Workspace(folder)
    if not rest:
        return _progress(workspace)
    command, *which = rest
    if command not in (*_COMMANDS, "reset") or len(which) > 1:
        near = difflib.get_close_matches(command, (*_COMMANDS, "reset", "workshop"), 1)
        meant = f"; did you mean '{' '.join([near[0], *which])}'?" if near and near[0] != command else ""
        print(f"tilewise learn: '{' '.join(rest)}' is no command{meant or '; see tilewise learn --help'}", file=sys.stderr)
        return 2
    step = find_step(which[0]) if which else None
    if which and step is None:
        print(f"tilewise learn: there is no step '{which[0]}'; 'tilewise learn' lists them", file=sys.stderr)
        return 2
    if command == "reset":
        workspace.reset(step)
        print(f"{step.file_name if step else 'everything'} is as it was at the beginning; what you had written is kept beside it with the ending .old")
        return 0
    if step is None:
        print(f"tilewise learn: which step? as in: tilewise learn {command} 3", file=sys.stderr)
        return 2
    return _COMMANDS[command](step, workspace)
