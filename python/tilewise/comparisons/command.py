"""tilewise bench: the commands' words, a progress bar, and the files that are written."""

import os
import pathlib
import sys
import textwrap
import time

HELP = """usage: tilewise bench --all | NAME... [--quick] [--device=cpu|cuda] [--output=FOLDER] [--rounds=N]

Times functions of the kernel library against the same computation as separate operations (PyTorch's if torch is installed, else numpy's), against
PyTorch's own operator, and against upstream Triton if that is installed and there is a GPU. Prints a table: milliseconds, speed-up, launches, bytes,
share of the machine's peak. Needs Python with numpy.

  --all             every function; otherwise name some of these:
                    {names}
  --quick           small sizes and two rounds, to see whether it runs; its times mean nothing and are not kept
  --device          cpu (default), or cuda, which needs torch with a GPU
  --output=FOLDER   folder for comparisons.html, comparisons.png and history.jsonl (default ./tilewise-bench). Results that are 15 % slower than
                    the latest runs on the same machine, in time and in speed-up, are marked
  --rounds=N        how often each is timed (default 9)"""


class WrongUsage(Exception):
    """What is wrong with the command."""


class Progress:
    """A bar on a terminal's standard error; elsewhere nothing."""

    def __init__(self, total):
        self.total, self.shows = total, sys.stderr.isatty()

    def at(self, number, name):
        if self.shows:
            done = 30 * number // self.total
            sys.stderr.write(f"\r[{'#' * done}{'.' * (30 - done)}] {number}/{self.total} {name:<24}")
            sys.stderr.flush()

    def end(self):
        if self.shows:
            sys.stderr.write("\r" + " " * 72 + "\r")
            sys.stderr.flush()


def _options(words):
    from .cases import MAKERS
    options, names = {"device": "cpu", "output": "tilewise-bench", "rounds": "9", "quick": False, "all": False}, []
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if word.startswith("--") and key in options and isinstance(options[key], bool) == (not equals):
            options[key] = value if equals else True
        elif word.startswith("-"):
            raise WrongUsage(f"unknown option {word}")
        elif word not in MAKERS:
            raise WrongUsage(f"there is no comparison '{word}': {', '.join(MAKERS)}")
        else:
            names.append(word)
    if not names and not options["all"]:
        raise WrongUsage("--all, or names of comparisons")
    if options["device"] not in ("cpu", "cuda"):
        raise WrongUsage(f"--device is cpu or cuda, not '{options['device']}'")
    if not options["rounds"].isdigit() or int(options["rounds"]) < 1:
        raise WrongUsage(f"--rounds is a number of at least 1, not '{options['rounds']}'")
    return options, [*MAKERS] if options["all"] else names


def _arrays(device):
    import importlib.util

    from .arrays import Numpy, Torch
    has_torch = importlib.util.find_spec("torch") is not None
    if device == "cuda":
        if not has_torch:
            raise WrongUsage("--device=cuda needs torch")
        import torch
        if not torch.cuda.is_available():
            raise WrongUsage("--device=cuda: torch finds no GPU")
    return Torch(device) if has_torch else Numpy()


def _keep_memory():
    """Memory that is freed is used again, as in a program's steady state: else the pages of every fresh result, which the system has to clear first, would take most of the time."""
    import ctypes
    trim_threshold, most_maps = -1, -4  # M_TRIM_THRESHOLD and M_MMAP_MAX of glibc
    try:
        change = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return  # another C library
    change(most_maps, 0)
    change(trim_threshold, 2**31 - 1)


def _ceilings(device):
    from .. import _native
    from ..errors import TritonError
    try:
        return _native.ceilings(device)
    except (TritonError, RuntimeError):
        return None  # as where the GPU is the host's memory (tilewise --device=cpu)


def _method(xp, options, threads):
    from .. import __version__
    from .history import machine_name
    peers = f"torch {xp.library.__version__}" if xp.name == "torch" else f"numpy {xp.library.__version__}"
    return (f"Tilewise {__version__}, {peers}, fp32, on {machine_name() if xp.device == 'cpu' else xp.library.cuda.get_device_name()}, {threads} threads. "
            f"All competitors take turns, {options['rounds']} rounds; a figure is the median. Results are allocated in memory that earlier ones gave back."
            + (" With --quick the sizes are small: it shows that everything runs, and the times mean nothing." if options["quick"] else ""))


def _run(words):
    from . import history, page, picture, table, upstream
    from .cases import MAKERS
    from .measure import measure
    options, names = _options(words)
    xp = _arrays(options["device"])
    if options["quick"]:
        options["rounds"] = "2"
    threads = int(os.environ.get("TILEWISE_NUM_THREADS") or len(os.sched_getaffinity(0)))
    ceilings = None if options["quick"] else _ceilings(options["device"])
    theirs = upstream.kernels() if options["device"] == "cuda" and upstream.installed() else None
    if not options["quick"]:
        _keep_memory()
    results, progress = [], Progress(len(names))
    for number, name in enumerate(names):
        progress.at(number, name)
        case = MAKERS[name](xp, options["quick"])
        if case is None:
            progress.end()
            print(f"{name} is left out: {xp.name} has not all of its operations")
            continue
        results.append(measure(case, xp, ceilings, int(options["rounds"]), theirs))
        del case  # its memory is the next one's
    progress.end()
    if not results:
        raise WrongUsage("nothing was measured")
    title, method = xp.name, _method(xp, options, threads)
    folder = pathlib.Path(options["output"])
    folder.mkdir(parents=True, exist_ok=True)
    runs = history.read(folder / "history.jsonl")
    setting = history.setting(title, threads)
    if not options["quick"]:
        history.mark(runs, results, setting)
        from .. import __version__
        history.append(folder / "history.jsonl", history.as_run(results, time.strftime("%Y-%m-%dT%H:%M:%S"), __version__, setting))
    past = {each.name: [time for time, _ in history.earlier(runs, each, setting)] + [each.milliseconds["tilewise"]] for each in results}
    print(method)
    print(table.text(results, title))
    drawn = picture.speedups(results, title)
    (folder / "comparisons.png").write_bytes(drawn)
    (folder / "comparisons.html").write_text(page.page(results, title, method, drawn, past), encoding="utf-8")
    print(f"\n{folder}/comparisons.html has the same with pictures, {folder}/comparisons.png the picture alone")
    return 1 if any(each.mark == "slower than before" for each in results) else 0


def main(words):
    try:
        import numpy  # noqa: F401
    except ImportError:
        print("tilewise bench: numpy is missing; install it with: pip install numpy", file=sys.stderr)
        return 1
    from .measure import Wrong
    if not words or "--help" in words or "-h" in words:
        from .cases import MAKERS
        print(HELP.format(names=textwrap.fill(", ".join(MAKERS), 100).replace("\n", "\n" + 20 * " ")))
        return 0 if words else 2
    try:
        return _run(words)
    except WrongUsage as error:
        print(f"tilewise bench: {error}\ntry 'tilewise bench --help'", file=sys.stderr)
        return 2
    except (Wrong, OSError) as error:
        print(f"tilewise bench: {error}", file=sys.stderr)
        return 1
