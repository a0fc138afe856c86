"""TILEWISE_PROFILE: processes of multiprocessing leave their profiles, however they were started."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import multiprocessing
import sys

import numpy as np
import tilewise

KERNEL = '''
import triton
import triton.language as tl


@triton.jit
def one(x_ptr):
    tl.store(x_ptr, 1.0)
'''


def work(turn):
    x = np.zeros(1, np.float32)
    tilewise.load("one.py")[(1,)](x)
    return float(x[0])


if __name__ == "__main__":
    open("one.py", "w").write(KERNEL)
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        assert pool.map(work, range(6), chunksize=1) == [1.0] * 6
        pool.close()
        pool.join()
    work(0)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_are_part_of_the_profile(tmp_path, method):
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "TILEWISE_PROFILE": str(tmp_path / "left"), "TILEWISE_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "program.py", method], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    events = [event for file in tmp_path.glob("left.*.json") for event in json.loads(file.read_text())["traceEvents"]]
    assert sum(event["cat"] == "launch" for event in events) == 7
