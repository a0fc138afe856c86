"""Runs the files of the workshop (learn/workshop): checks an exercise or a phase, times the kernels of the phases, tries block sizes and warps."""

import pathlib
import shutil
import sys

from .course import STEPS_DIR

FOLDER = STEPS_DIR / "workshop"


def copy_to(folder):
    """The workshop in a folder of the learner's; files that are there stay. Gives how many were put."""
    count = 0
    for source in sorted(FOLDER.rglob("*")):
        target = pathlib.Path(folder) / source.relative_to(FOLDER)
        if source.is_file() and "__pycache__" not in source.parts and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            count += 1
    return count


def _answer(file):
    """The file itself, or its solution where the command asks for that."""
    path = pathlib.Path(file).resolve()
    return FOLDER / "solutions" / path.name if "--solution" in sys.argv[1:] else path


def _check(file):
    """Prints what is wrong, or that all is right; whether it is."""
    from .checker import Checker
    from .source import Found
    from .workshop_tasks import works
    path = _answer(file)
    work = works()[path.stem]
    print(work.title)
    try:
        checker = Checker(work.task, path)
        count = checker.run()
    except Found as found:
        print(f"not yet. {found}")
        return False
    print(f"right: {count} cases, line by line with every access checked, and compiled on the reference and CPU engines")
    for text in checker.advice:
        print(f"but note: {text}")
    if work.draw:
        print(f"see {', '.join(work.draw(checker.kernel, pathlib.Path.cwd()))}")
    if work.question:
        print(f"question: {work.question}")
    return True


def main(file):
    sys.exit(0 if _check(file) else 1)


def _kernel(file, name):
    """A phase's kernel, finished; exits with what is missing."""
    from . import source
    from .workshop_tasks import works
    path = _answer(pathlib.Path(file).with_name(f"{name}.py"))
    task = works()[name].task
    try:
        text, tree = source.parse(path)
        source.check_finished(text, tree)
        return source.find_kernel(source.import_file(path), task.kernel, task.cases()[0].arguments)[0]
    except source.Found as found:
        sys.exit(f"{path.name}: {found}; finish it first (python3 -m kernels.{name})")


def _timed(call, seconds):
    from .commands import _best
    return _best(call, seconds)


def _rows(file, quick):
    """(name, size, milliseconds of numpy, of the learner's kernel, and of torch or None)"""
    import importlib.util

    import numpy as np

    import tilewise
    random = np.random.default_rng(0)
    seconds = 0.02 if quick else 0.5
    torch = importlib.import_module("torch") if importlib.util.find_spec("torch") else None
    own = lambda function, *arrays: _timed(lambda: function(*[torch.from_numpy(array) for array in arrays]), seconds) if torch else None

    n = 10_000 if quick else 1 << 24
    x, y = (random.random(n).astype(np.float32) for _ in range(2))
    out, add = np.empty_like(x), _kernel(file, "vector_add")
    yield ("vector add", f"{n}", _timed(lambda: np.add(x, y, out=out), seconds), _timed(lambda: add[(tilewise.cdiv(n, 8192),)](x, y, out, n, BLOCK_SIZE=8192), seconds),
           own(lambda x, y: torch.add(x, y), x, y))

    rows, columns = (50, 100) if quick else (4096, 1024)
    x = random.standard_normal((rows, columns)).astype(np.float32)
    out, softmax = np.empty_like(x), _kernel(file, "softmax")

    def separate():
        weight = np.exp(x - x.max(axis=1, keepdims=True))
        return weight / weight.sum(axis=1, keepdims=True)

    yield ("softmax", f"{rows} x {columns}", _timed(separate, seconds),
           _timed(lambda: softmax[(rows,)](out, x, columns, columns, columns, BLOCK_SIZE=tilewise.next_power_of_2(columns)), seconds), own(lambda x: torch.softmax(x, -1), x))

    n, block = (32, 16) if quick else (1024, 128)
    a, b = (random.standard_normal((n, n)).astype(np.float32) for _ in range(2))
    c, product = np.empty_like(a), _kernel(file, "matmul_relu")
    tiles = (tilewise.cdiv(n, block), tilewise.cdiv(n, block))
    yield ("matmul + relu", f"{n} x {n} x {n}", _timed(lambda: np.maximum(a @ b, 0), seconds),
           _timed(lambda: product[tiles](a, b, c, n, n, n, n, 1, n, 1, n, 1, BLOCK_M=block, BLOCK_N=block, BLOCK_K=min(block, 32)), seconds),
           own(lambda a, b: torch.relu(a @ b), a, b))


def benchmark(file):
    print("phase 4: your kernels beside numpy, and beside torch where it is")
    print(f"{'operation':<15}{'size':<20}{'numpy, ms':>11}{'torch, ms':>11}{'yours, ms':>11}{'speedup':>9}")
    for name, size, theirs, yours, own in _rows(file, "--quick" in sys.argv[1:]):
        print(f"{name:<15}{size:<20}{theirs:>11.3f}{f'{own:.3f}' if own else '-':>11}{yours:>11.3f}{theirs / yours:>8.2f}x")
    print("question: for which operation is the speed-up largest, and why? Count how often each byte crosses between memory and chip.")


def tuning(file):
    import numpy as np

    import tilewise
    quick = "--quick" in sys.argv[1:]
    n = 10_000 if quick else 1 << 22
    add = _kernel(file, "vector_add")
    x, y = (np.random.default_rng(seed).random(n).astype(np.float32) for seed in (1, 2))
    out, warps, times = np.empty_like(x), (1, 2, 4, 8), {}
    print(f"phase 5: vector add of {n} elements, ms\n{'BLOCK_SIZE':>10}" + "".join(f"{f'{count} warps':>10}" for count in warps))
    for block in (64, 128, 256, 512, 1024):
        for count in warps:
            times[block, count] = _timed(lambda: add[(tilewise.cdiv(n, block),)](x, y, out, n, BLOCK_SIZE=block, num_warps=count), 0.01 if quick else 0.1)
        print(f"{block:>10}" + "".join(f"{times[block, count]:>10.4f}" for count in warps))
    best = min(times, key=times.get)
    print(f"best: BLOCK_SIZE={best[0]}, num_warps={best[1]}; on a CPU num_warps has no effect, the columns differ by chance")
    print("question: why does the best block size depend on the problem? Try n = 1000, and think of how many programs there are then.")


def everything(file):
    folder = pathlib.Path(file).resolve()
    for name in ("vector_add", "softmax", "matmul_relu"):
        if not _check(folder.with_name(f"{name}.py")):
            sys.exit(1)
        print()
    benchmark(folder)
    print()
    tuning(folder)
