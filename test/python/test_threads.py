"""Processes and threads: fork and multiprocessing, cooperative launches, waits that cannot end, Ctrl-C inside one program."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import tilewise
import tilewise.language as tl
from tilewise.lazy import lazy


@tilewise.jit
def squares(out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, at * at)


@tilewise.jit
def from_above(ready, sums):
    pid = tl.program_id(0)
    total = pid
    if pid + 1 < tl.num_programs(0):
        while tl.atomic_cas(ready + pid + 1, 1, 1) != 1:
            pass
        total += tl.load(sums + pid + 1, volatile=True)
    tl.store(sums + pid, total)
    tl.atomic_xchg(ready + pid, 1)


def check_squares(block):
    out = np.zeros(50 * block, np.int32)
    squares[(50,)](out, BLOCK=block)
    return out.tolist() == [i * i for i in range(50 * block)]


def in_child(body):
    """The exit code of a forked child that runs `body`."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if body() else 2
        finally:
            os._exit(code)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the child hangs"


def test_a_forked_child_launches_and_compiles(host_engine):
    assert check_squares(16)
    assert in_child(lambda: check_squares(16) and check_squares(32)) == 0
    assert check_squares(16) and check_squares(64)


def test_a_child_waits_for_no_attribute_that_another_thread_computes():
    begun, ending = threading.Event(), threading.Event()

    class Slow:
        @lazy
        def value(self):
            if self.name == "slow":
                begun.set()
                ending.wait()
            return self.name

        def __init__(self, name):
            self.name = name

    slow, quick = Slow("slow"), Slow("quick")
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    begun.wait()
    assert in_child(lambda: quick.value == "quick") == 0
    ending.set()
    thread.join()
    assert slow.value == "slow" and vars(slow)["value"] == "slow"


def test_fork_while_other_threads_compile_and_launch():
    ending = threading.Event()
    wrong = []

    def work(first):
        block = 0
        while not ending.is_set():
            block = (block + 1) % 6
            if not check_squares(1 << (block + first)):
                wrong.append(block)
            squares._forget()  # compiled again the next time

    threads = [threading.Thread(target=work, args=(first,)) for first in (1, 2)]
    for thread in threads:
        thread.start()
    codes = [in_child(lambda: check_squares(16) and check_squares(2)) for _ in range(6)]
    ending.set()
    for thread in threads:
        thread.join()
    assert codes == [0] * 6 and not wrong


def test_multiprocessing():
    assert check_squares(16)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(check_squares, [16, 8, 16, 4]) == [True] * 4


def test_a_cooperative_launch_may_wait_for_higher_programs(host_engine):
    ready, sums = np.zeros(8, np.int32), np.zeros(8, np.int32)
    from_above[(8,)](ready, sums, launch_cooperative_grid=True)
    assert sums.tolist() == [sum(range(i, 8)) for i in range(8)]
    with pytest.raises(tilewise.LaunchError, match="kernel 'from_above': a cooperative launch on the .* engine has at most 1024 programs"):
        from_above[(2000,)](np.zeros(2000, np.int32), np.zeros(2000, np.int32), launch_cooperative_grid=True)


def run(text, **environment):
    prelude = """
        import os, signal, sys, threading, time, warnings
        import numpy as np, tilewise, tilewise.language as tl
    """
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"tilewise-threads-{os.getpid()}.py")
    with open(path, "w") as file:
        file.write(textwrap.dedent(prelude) + textwrap.dedent(text))
    try:
        return subprocess.run([sys.executable, path], text=True, capture_output=True, timeout=120, env={**os.environ, **environment})
    finally:
        os.remove(path)


WAITING = """
    @tilewise.jit
    def waits(flags):
        pid = tl.program_id(0)
        if pid + 1 < tl.num_programs(0):
            while tl.atomic_add(flags + pid + 1, 0) == 0:
                pass
        tl.atomic_xchg(flags + pid, 1)
"""


@pytest.mark.parametrize("engine", ["reference", "cpu"])
def test_waiting_for_a_higher_program_is_reported(engine):
    done = run(WAITING + """
    try:
        waits[(64,)](np.zeros(64, np.int32))
    except tilewise.LaunchError as error:
        print(error)
    """, TILEWISE_WAIT_SECONDS="1", TILEWISE_NUM_THREADS="2", TILEWISE_ENGINE=engine)
    assert done.stdout.startswith("kernel 'waits': ") and "launch_cooperative_grid=True" in done.stdout, done.stdout + done.stderr


def test_fork_by_a_thread_that_launched_nothing():
    done = run("""
    @tilewise.jit
    def fill(out):
        tl.store(out + tl.program_id(0), 1)

    launched, over = threading.Event(), threading.Event()

    def work():
        fill[(8,)](np.zeros(8, np.int32))
        launched.set()
        over.wait()

    other = threading.Thread(target=work)
    other.start()
    launched.wait()
    child = os.fork()
    if child == 0:
        out = np.zeros(8, np.int32)
        fill[(8,)](out)
        os._exit(int(out.sum()))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    over.set()
    other.join()
    """)
    assert done.stdout == "8\n", done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("programs", [1, 2, 3])
def test_ctrl_c_ends_a_program_in_its_middle(engine, programs):
    done = run(f"""
    @tilewise.jit
    def forever(flag):
        while tl.atomic_add(flag, 0) == 0:
            pass

    threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    try:
        forever[({programs},)](np.zeros(1, np.int32))
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - start < 20)
    """, TILEWISE_NUM_THREADS="2", TILEWISE_ENGINE=engine)
    assert done.stdout == "interrupted True\n", done.stdout + done.stderr


def test_variants_that_were_evicted_come_back():
    done = run("""
    @tilewise.jit
    def fill(out, VALUE: tl.constexpr):
        tl.store(out, VALUE)

    out = np.zeros(1, np.int32)
    for value in [1, 2, 3, 4, 1, 1, 2, 5, 1]:
        for again in range(2):
            out[0] = 0
            fill[(1,)](out, VALUE=value)
            assert out[0] == value
    # 5 is new and evicts 4; 1 and 2 were evicted before that, each once.
    print(fill.native.compile_count(), len(fill._compiled), len(fill._compiled.numbers), len(fill._compiled.ready) <= 3)
    """, TILEWISE_MAX_VARIANTS="3", TILEWISE_ENGINE="reference")
    assert done.stdout == "7 3 3 True\n", done.stdout + done.stderr


def test_a_number_of_threads_that_is_none_is_told():
    done = run("""
    @tilewise.jit
    def fill(out):
        tl.store(out + tl.program_id(0), 1)

    out = np.zeros(8, np.int32)
    fill[(8,)](out)
    print(out.sum())
    """, TILEWISE_NUM_THREADS="two")
    assert done.stdout == "8\n" and "TILEWISE_NUM_THREADS is 'two', expected a number from 1 to 4096" in done.stderr, done.stdout + done.stderr
