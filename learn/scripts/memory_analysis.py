"""What fusion saves, counted access by access: bytes moved by separate operations and by fused kernels, and what bounds them."""

import numpy as np
from common import Unfused, arguments, megabytes

import tilewise
from tilewise.analysis import analyze
from tilewise.learn.course import find_step
from tilewise.learn.source import import_file

arguments(__doc__)
rows, columns = 16, 64
x = np.random.default_rng(0).standard_normal((rows, columns)).astype(np.float32)
unfused = Unfused(
    ("top", lambda x: x.max(axis=1, keepdims=True), ("x",)),
    ("centred", np.subtract, ("x", "top")),
    ("weight", np.exp, ("centred",)),
    ("total", lambda weight: weight.sum(axis=1, keepdims=True), ("weight",)),
    ("y", np.divide, ("weight", "total")),
)
softmax = import_file(find_step("softmax").solution).softmax
y = np.zeros_like(x)
found = analyze(softmax, (rows,), y, x, columns, columns, columns, BLOCK=64)
launches, moved = unfused.traffic({"x": x})
print(found)
print(f"softmax of {rows} x {columns}: {launches} operations move {moved} bytes, the fused kernel {found.moved}: {moved / found.moved:.1f} times less")
print(f"at 4096 x 4096 that is {megabytes(moved * 4096 * 4096 / x.size)} against {megabytes(found.moved * 4096 * 4096 / x.size)}")
for name, bandwidth, peak in (("2 cores of a server", 40, 200), ("an H200", 4800, 67000)):
    bound, least = found.against(bandwidth, peak)
    print(f"on {name} ({bandwidth} GB/s, {peak} GFLOPS): bound by {bound}, {found.intensity:.2f} operations per byte of {peak / bandwidth:.0f} needed to be bound by arithmetic")
assert tilewise.__version__
