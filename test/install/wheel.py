"""In an environment with the wheel alone: a kernel runs, the metadata are there, and every file is Python 3.10's."""

import array
import ast
import importlib.metadata
import importlib.util
import pathlib
import subprocess
import sys

import tilewise
import tilewise.language as tl


class Array:
    """Memory as numpy would offer it."""

    def __init__(self, values):
        self.values = array.array("f", values)
        address, length = self.values.buffer_info()
        self.__array_interface__ = {"data": (address, False), "shape": (length,), "typestr": "<f4", "version": 3}


@tilewise.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


x = Array([1, 2, 3])
double[(1,)](x, 3, BLOCK=4)
assert list(x.values) == [2, 4, 6]
assert importlib.util.find_spec("numpy") is None and importlib.util.find_spec("torch") is None
found = importlib.metadata.distribution("tilewise")
assert found.version == tilewise.__version__ and found.metadata["Requires-Python"] == ">=3.10"
assert {(point.group, point.name) for point in found.entry_points} == {("console_scripts", "tilewise"), ("torch_dynamo_backends", "tilewise")}
package = pathlib.Path(tilewise.__file__).parent
for file in package.rglob("*.py"):
    ast.parse(file.read_text(), str(file), feature_version=(3, 10))
licenses = {file.name for file in (package / "share/tilewise/licenses").iterdir()}
assert licenses >= {"Tilewise", "LLVM", "MLIR", "libclc", "zlib", "zstd", "libstdc++"}, licenses
assert not [file for file in package.rglob("*") if file.is_symlink()]
# Commands that are written in Python run in the environment's own, whatever the PATH has.
told = subprocess.run([pathlib.Path(sys.prefix) / "bin" / "tilewise", "learn", "--help"], env={"PATH": "/nowhere"}, capture_output=True, text=True)
assert told.returncode == 0 and told.stdout.startswith("usage: tilewise learn"), told
print("the wheel works by itself")
