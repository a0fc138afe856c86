"""Runs upstream Triton's tutorials 01 to 08 by `python -m tilewise --device=cpu`, on copies made smaller.

Needs a Python with torch, pytest and tabulate (--python), and a built package (build/release). It is not part of CI, and nothing of upstream is in this
repository. TILEWISE_QUICK_BENCH=1 reduces what a tutorial measures to one call, one point and one configuration. Sizes that would take a CPU minutes,
or that torch's own half-precision sums on the CPU are too inaccurate for, are reduced, too. Tutorial 06 consists of tests; those of its smallest size
run: forward in fp8 and backward in fp16, plain and causal, for both head sizes."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# By tutorial: texts of it and what stands in their place. One that is not found is an error, so that a change upstream is noticed.
SHRINK = {
    # torch's CPU code sums the gradients of 1151 rows in fp16, with errors of 0.06; the tutorial compares to 0.01.
    "05-layer-norm": [("test_layer_norm(1151, 8192,", "test_layer_norm(64, 8192,")],
    # 4 x 128 x 8192 x 8192 in fp16 is minutes of torch on a CPU.
    "08-grouped-gemm": [("    N = 8192\n    K = 8192\n", "    N = 512\n    K = 512\n")],
}
TUTORIALS = ["01-vector-add", "02-fused-softmax", "03-matrix-multiplication", "04-low-memory-dropout", "05-layer-norm", "06-fused-attention",
             "07-extern-functions", "08-grouped-gemm"]
SMALLEST = "64-128-2-1 or 128-128-2-1"  # of 06: head size, context, heads, batch


def shrunk(text, name):
    for before, after in SHRINK.get(name, ()):
        if before not in text:
            sys.exit(f"{name}: {before!r} is not in it any more; see SHRINK in {__file__}")
        text = text.replace(before, after)
    return text


def run(options, name, folder):
    """One tutorial -> whether it ran, its seconds, and what it said."""
    script = folder / f"{name}.py"
    script.write_text(shrunk((options.checkout / "python/tutorials" / script.name).read_text(), name))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    enable_warmup: upstream's\n")
    command = [options.python, "-m", "tilewise", "--device=cpu", f"--engine={options.engine}"]
    if name.startswith("06"):
        command += ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-k", SMALLEST]
    environment = {**os.environ, "PYTHONPATH": str(options.package), "TILEWISE_QUICK_BENCH": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    start = time.monotonic()
    try:
        done = subprocess.run([*command, script], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=options.timeout)
        good, said = done.returncode == 0, done.stdout
    except subprocess.TimeoutExpired:
        good, said = False, f"not done in {options.timeout} s"
    return good, time.monotonic() - start, said


def main():
    parser = argparse.ArgumentParser(prog="dev/tutorials", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, help="the folder of a checkout of upstream's repository")
    parser.add_argument("--python", default=sys.executable, help="the Python to run them with")
    parser.add_argument("--package", default=ROOT / "build/release/python", help="folder of the built package")
    parser.add_argument("--engine", default="cpu", choices=["cpu", "reference"], help="default: cpu")
    parser.add_argument("--only", nargs="*", default=[""], help="only tutorials whose names begin with one of these, such as 06")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one tutorial (default: 600)")
    parser.add_argument("--verbose", action="store_true", help="also print the output of tutorials that pass")
    options = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in TUTORIALS:
            if not name.startswith(tuple(options.only)):
                continue
            good, seconds, said = run(options, name, pathlib.Path(folder))
            failures += not good
            print(f"{name}: {'ran' if good else 'failed'} on the {options.engine} engine, {seconds:.0f} s", flush=True)
            if not good or options.verbose:
                print("    " + "\n    ".join(said.strip().splitlines()[-20:]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
