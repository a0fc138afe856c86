"""What a launch costs from Python, by number of arguments: `PYTHONPATH=build/release/python python3 bench/launch.py`."""

import pathlib
import sys
import tempfile
import time

import numpy

TEXT = """
import tilewise
import tilewise.language as tl

@tilewise.jit
def add(x, {parameters}):
    tl.store(x, {total})
"""


def cost(integers):
    names = [f"a{i}" for i in range(integers)]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, f"adds{integers}.py").write_text(TEXT.format(parameters=", ".join(names), total=" + ".join(names)))
        sys.path.insert(0, folder)
        kernel = __import__(f"adds{integers}").add
        sys.path.pop(0)
    x = numpy.zeros(1, numpy.int32)
    arguments = tuple(range(2, integers + 2))
    launch = kernel[(1,)]
    best = float("inf")
    for _ in range(50):
        start = time.perf_counter()
        for _ in range(1000):
            launch(x, *arguments)
        best = min(best, (time.perf_counter() - start) / 1000)
    assert x[0] == sum(arguments)
    return best


print("arguments   ns per launch, in Python")
for integers in (1, 3, 7, 15, 31):
    print(f"{integers + 1:9} {cost(integers) * 1e9:15.0f}")
