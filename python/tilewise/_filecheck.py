"""LLVM's FileCheck over the text of a kernel, for tests that say what tile IR they expect."""

import os
import shutil
import subprocess
import tempfile


class MatchError(ValueError):
    """What was expected is not in the text."""


def run_filecheck(name, module_str, check_template):
    """Checks a text against the CHECK lines of another; `name` says in the error whose text it is."""
    program = shutil.which("FileCheck") or shutil.which("FileCheck-19")
    if program is None:
        raise RuntimeError("FileCheck is not in the PATH; it comes with LLVM's tools")
    with tempfile.TemporaryDirectory() as folder:
        checks = os.path.join(folder, "checks")
        with open(checks, "w") as file:
            file.write(check_template)
        done = subprocess.run([program, checks, "--dump-input-context=50"], input=module_str, capture_output=True, text=True, check=False)
    if done.returncode:
        raise MatchError(f"{name}: {done.stderr}\n{module_str}")


def run_parser(kernel_fn, args=(), kwargs=None):
    """The text of the tile IR that the front end makes of a kernel for these arguments."""
    return kernel_fn.warmup(*args, grid=(1,), **(kwargs or {})).asm["ttir"]


def run_filecheck_test(kernel_fn):
    """Checks the kernel's tile IR against the CHECK lines in the comments of its text."""
    run_filecheck(kernel_fn.__name__, run_parser(kernel_fn), "".join(kernel_fn.raw_src))


def filecheck_test(fn):
    """A test out of a kernel without arguments whose comments say what its tile IR is."""

    def test():
        run_filecheck_test(fn)

    test.__name__ = fn.__name__
    return test
