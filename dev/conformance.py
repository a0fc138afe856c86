"""Runs upstream Triton's unit tests against Tilewise and writes a report.

The report has three figures for each file and in total: cases that upstream marks for its interpreter, compiled; the same cases in interpreter mode;
and the other cases, compiled.

Needs a Python with torch, numpy, scipy, pytest, pytest-xdist, pytest-timeout and expecttest (--python), and a built package (build/release). It is not
part of CI: nothing of upstream is in this repository, and a full run takes hours on two cores; --sample makes it shorter. Results are kept in a folder
file by file, and --report-only writes the report from all runs so far.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The files of upstream's `make test-interpret` that have marked cases, then those that test the language or the host interface beside it.
FILES = """
    language/test_core language/test_standard language/test_random language/test_subprocess language/test_line_info language/test_tuple
    runtime/test_launch
    language/test_tensor_descriptor language/test_matmul language/test_compile_errors language/test_conversions language/test_annotations
    language/test_libdevice runtime/test_autotuner runtime/test_cache
""".split()
# What only a GPU can run, beside these: for --engine cuda.
GPU_FILES = "language/test_pipeliner language/test_warp_specialization language/test_mxfp cuda/test_tma_descriptor cuda/test_tensor_descriptor_cuda".split()
MODES = ["compiled", "interpreter", "upstream"]
KINDS = {("compiled", True): "marked, compiled", ("interpreter", True): "marked, interpreted", ("compiled", False): "the rest, compiled",
         ("upstream", True): "marked, upstream's interpreter"}

# Loaded by every worker: notes which cases are marked, and keeps a part of them, spread over each function's parameters. One file asks torch for the
# capability of a GPU while it is read, whatever it runs on; that is answered with one that no test wants.
PLUGIN = """
import os

import torch
import triton  # the one in PYTHONPATH, before the tests' folder, which has a package of this name in it, is searched

if not torch.cuda.is_available():
    torch.cuda.get_device_capability = lambda *_: (0, 0)


def pytest_collection_modifyitems(config, items):
    for item in items:
        if item.get_closest_marker("interpreter"):
            item.user_properties.append(("interpreter", "marked"))
    most = int(os.environ["CONFORMANCE_SAMPLE"])
    if not most:
        return
    functions = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(cases[i * len(cases) // most]) for cases in functions.values() for i in range(most)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
"""


def results_of(options, name, mode):
    return options.results / f"{name.replace('/', '-')}-{mode}.xml"


def run_file(options, name, mode, folder):
    """One file of tests in one mode; leaves its results behind."""
    tests = options.checkout / "python"
    results = results_of(options, name, mode)
    results.unlink(missing_ok=True)
    package = options.upstream if mode == "upstream" else options.package
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{folder}", "CONFORMANCE_SAMPLE": str(options.sample)}
    if options.engine != "cuda":  # which is for tensors on the GPU, whatever the engine for the others
        environment["TILEWISE_ENGINE"] = options.engine
    environment.pop("TRITON_INTERPRET", None)
    command = [options.python, *(("-P",) if mode == "upstream" else ("-m", "tilewise")), "-m", "pytest", "-q", f"--device={'cuda' if options.engine == 'cuda' else 'cpu'}",
               "-p", "conformance_plugin", "-p", "no:cacheprovider", "-W", "ignore", "-c", f"{folder}/pytest.ini", f"--rootdir={tests}",
               f"--timeout={options.timeout}", f"--junitxml={results}", "--tb=short", f"test/unit/{name}.py"]
    if options.workers > 1 and mode != "upstream":  # a worker's own folder would come first
        command += ["-n", str(options.workers)]
    if mode != "compiled":
        environment["TRITON_INTERPRET"] = "1"
        command += ["-m", "interpreter"]
    if options.filter:
        command += ["-k", options.filter]
    done = subprocess.run(command, cwd=tests, env=environment, capture_output=True, text=True)
    if not results.exists():
        print(f"{name} ({mode}): no results\n{done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr)


def reason(text):
    """The line of a failure that says most, with its numbers taken out so that like failures count together."""
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E  ")]
    lines = [line for line in lines if line.strip("^ ") and not line.startswith("note:")]
    named = [line for line in lines if re.match(r"[\w.]+(Error|Failure|Construct)\b", line)]
    if named and "CompilationError" not in named[-1] and "CompileTime" not in named[-1]:
        return re.sub(r"\d+", "N", named[-1])[:160]
    return re.sub(r"\d+", "N", lines[-1])[:160] if lines else "no message"


def read(options, name, mode):
    """Counts of a file's cases by kind, and its failures by kind and reason: {kind: {reason: Counter of functions}}."""
    counts, failures = collections.defaultdict(collections.Counter), {}
    results = results_of(options, name, mode)
    if not results.exists():
        return counts, failures
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        marked = any(one.get("name") == "interpreter" for one in case.iter("property"))
        kind = KINDS[(mode, marked or mode != "compiled")]
        outcome = "passed"
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                outcome = {"failure": "failed", "error": "errors", "skipped": "skipped"}[child.tag]
                if outcome != "skipped":
                    why = reason(child.text or child.get("message") or "")
                    failures.setdefault(kind, {}).setdefault(why, collections.Counter())[case.get("name").partition("[")[0]] += 1
        counts[kind][outcome] += 1
    return counts, failures


def row(name, kind, counts):
    ran = counts["passed"] + counts["failed"] + counts["errors"]
    share = f"{100 * counts['passed'] / ran:.1f} %" if ran else ""
    return f"| {name} | {kind} | {counts['passed']} | {counts['failed']} | {counts['errors']} | {counts['skipped']} | {share} |"


def write_report(options, modes):
    rows, groups, total = [], [], collections.defaultdict(collections.Counter)
    for name in options.files:
        for mode in modes:
            counts, failures = read(options, name, mode)
            for kind in counts:
                rows.append(row(name, kind, counts[kind]))
                total[kind] += counts[kind]
            for kind, reasons in failures.items():
                groups += [f"## {name}: {kind}", ""]
                for why, functions in sorted(reasons.items(), key=lambda item: -item[1].total()):
                    told = ", ".join(f"{function} ({count})" for function, count in functions.most_common(8))
                    groups.append(f"- {functions.total()}: `{why}` in {told}")
                groups.append("")
    head = ["| file | cases | passed | failed | errors | skipped | passed of run |", "|---|---|---|---|---|---|---|"]
    totals = [row("all", kind, total[kind]) for kind in KINDS.values() if kind in total]
    options.report.write_text("\n".join([f"# Upstream's tests on the {options.engine} engine", "", *head, *rows, *totals, "", *groups]))
    print("\n".join(totals))
    print(f"report: {options.report}")


def main():
    parser = argparse.ArgumentParser(prog="dev/conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path, help="the folder of a checkout of upstream's repository")
    parser.add_argument("--python", default=sys.executable, help="the Python to run the tests with")
    parser.add_argument("--package", default=ROOT / "build/release/python", help="folder of the built package")
    parser.add_argument("--upstream", type=pathlib.Path, help="also run the marked cases in upstream's own interpreter, from the package in this folder, to compare what is skipped")
    parser.add_argument("--engine", default="reference", choices=["reference", "cpu", "cuda"], help="the engine under test (default: reference)")
    parser.add_argument("--mode", default="both", choices=[*MODES, "both"], help="default: both, which is compiled and interpreter")
    parser.add_argument("--files", nargs="*", help="such as language/test_core (default: all that the engine can run)")
    parser.add_argument("--filter", help="passed to pytest as -k")
    parser.add_argument("--sample", type=int, default=0, help="maximum number of cases of each test function")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)), help="processes (default: one per core)")
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one case (default: 120)")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/conformance", help="folder for the results (default: build/conformance)")
    parser.add_argument("--report", type=pathlib.Path, help="file for the report (default: report.md in the folder of the results)")
    parser.add_argument("--report-only", action="store_true", help="run nothing, and write the report again")
    options = parser.parse_args()
    options.files = options.files or FILES + (GPU_FILES if options.engine == "cuda" else [])
    options.checkout = options.checkout.resolve()
    options.results = options.results.resolve()
    if os.sep in options.python:
        options.python = os.path.abspath(options.python)  # the tests run in a folder of their own
    options.results.mkdir(parents=True, exist_ok=True)
    options.report = options.report or options.results / "report.md"
    modes = ["compiled", "interpreter"] if options.mode == "both" else [options.mode]
    if options.upstream and "upstream" not in modes:
        modes.append("upstream")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "pytest.ini").write_text("[pytest]\nmarkers =\n    interpreter: runs in upstream's interpreter, too\n")
        pathlib.Path(folder, "conformance_plugin.py").write_text(PLUGIN)
        for mode in () if options.report_only else modes:
            for name in options.files:
                run_file(options, name, mode, folder)
                for kind, counts in read(options, name, mode)[0].items():
                    print(row(name, kind, counts), flush=True)
    write_report(options, MODES if options.report_only else modes)


if __name__ == "__main__":
    main()
