"""Kernels that are in no file: of notebooks' cells, interactive Python, `-c`, and texts run by `exec`; found through linecache, or told about."""

import linecache
import os
import pty
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tilewise
import tilewise.language as tl

KERNEL = """
@triton.jit
def fill(x_ptr, BLOCK: tl.constexpr):
    tl.store(x_ptr + tl.arange(0, BLOCK), 7)
"""
LAUNCH = "x = np.zeros(4, np.int32); fill[(1,)](x, BLOCK=4); print(x)\n"
IMPORTS = "import numpy as np; import tilewise; tilewise.install(); import triton; import triton.language as tl\n"


def run(*arguments, text=None):
    return subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, timeout=120)


def test_cells_of_a_notebook():
    pytest.importorskip("IPython")
    cells = [IMPORTS, KERNEL, LAUNCH, KERNEL.replace("7", "8"), LAUNCH, KERNEL.replace("7", "undefined"), LAUNCH]
    done = run("-c", textwrap.dedent(f"""
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance(colors="nocolor")
        for cell in {cells!r}:
            result = shell.run_cell(cell, store_history=True)
        print(type(result.error_in_exec).__name__)
    """))
    assert "[7 7 7 7]\n" in done.stdout and "[8 8 8 8]\n" in done.stdout, done.stdout + done.stderr
    assert "    tl.store(x_ptr + tl.arange(0, BLOCK), undefined)\n" in done.stdout and "'undefined' is not defined" in done.stdout
    assert done.stdout.endswith("CompilationError\n")


def as_a_repl_does(text, name):
    """Runs a text under a name that is no file's, and lets linecache know it, as Python 3.13 does with what is typed."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"triton": tilewise, "tl": tl, "np": np, "__name__": "__main__"}
    exec(compile(text, name, "exec"), namespace)
    return namespace


def test_texts_that_linecache_knows(host_engine):
    one, two = (as_a_repl_does(KERNEL.replace("7", str(number)), f"<python-input-{number}>") for number in (1, 2))
    x = np.zeros(4, np.int32)
    one["fill"][(1,)](x, BLOCK=4)
    assert x.tolist() == [1] * 4
    two["fill"][(1,)](x, BLOCK=4)
    assert x.tolist() == [2] * 4
    bad = as_a_repl_does(KERNEL.replace("7", "tl.arange(0, 3)"), "<python-input-3>")
    with pytest.raises(tilewise.CompilationError, match=r"tl.store\(x_ptr \+ tl.arange\(0, BLOCK\), tl.arange\(0, 3\)\)"):
        bad["fill"][(1,)](x, BLOCK=4)


def test_interactive_python():
    """What is typed is known to linecache from Python 3.13 on; before, the error says what to do."""
    program, terminal = pty.openpty()
    typed = IMPORTS + KERNEL.strip("\n") + "\n\n" + LAUNCH
    with subprocess.Popen([sys.executable, "-q"], stdin=terminal, stdout=terminal, stderr=terminal,
                          env={**os.environ, "TERM": "xterm", "PYTHON_COLORS": "0"}) as process:
        os.close(terminal)
        for line in typed.splitlines(keepends=True):
            # pyrepl indents by itself what follows a line that ends in a colon.
            os.write(program, (line.lstrip(" ") if sys.version_info >= (3, 13) else line).encode())
        os.write(program, b"exit()\n")
        said = b""
        try:
            while chunk := os.read(program, 4096):
                said += chunk
        except OSError:  # the other end is closed
            pass
        process.wait(60)
    os.close(program)
    if sys.version_info >= (3, 13):
        assert b"[7 7 7 7]" in said, said.decode()
    else:
        assert b"the text of 'fill' cannot be found; give it with tilewise.jit(source=...)" in said, said.decode()


def test_text_given_to_tilewise():
    done = run("-m", "tilewise", "-c", IMPORTS + KERNEL + LAUNCH)
    assert done.stdout == "[7 7 7 7]\n", done.stderr


def test_a_text_that_nobody_kept_can_be_given():
    namespace = {"triton": tilewise, "tl": tl}
    with pytest.raises(ValueError, match=r"'fill' cannot be found; give it with tilewise.jit\(source=...\)"):
        exec(KERNEL, namespace)
    exec(KERNEL.replace("@triton.jit", ""), namespace)
    x = np.zeros(4, np.int32)
    tilewise.jit(source=KERNEL)(namespace["fill"])[(1,)](x, BLOCK=4)
    assert x.tolist() == [7] * 4
    # Line by line no text is needed.
    tilewise.jit(interpret=True)(namespace["fill"])[(1,)](x[:2], BLOCK=2)
