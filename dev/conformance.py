"""Runs upstream's own unit tests against Tilewise and writes a report: dev/conformance PATH_TO_A_TRITON_CHECKOUT [options].

Needs a Python with torch, numpy, scipy, pytest, pytest-xdist and pytest-timeout (--python), and a built package (build/release). Not part of CI:
nothing of upstream is in this repository, and a full run takes hours on two cores. `--sample N` takes at most N cases of each test function.
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
# The files of upstream's `make test-interpret`, then those that test the language or the host interface beside it.
FILES = """
    language/test_core language/test_standard language/test_random language/test_subprocess language/test_line_info language/test_tuple
    runtime/test_launch
    language/test_tensor_descriptor language/test_matmul language/test_compile_errors language/test_conversions language/test_annotations
    language/test_libdevice runtime/test_autotuner runtime/test_cache
""".split()

# Loaded by every worker: keeps a part of the cases, spread over each function's parameters.
SAMPLER = """
import os

def pytest_collection_modifyitems(config, items):
    most = int(os.environ["CONFORMANCE_SAMPLE"])
    functions = {}
    for item in items:
        functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(cases[i * len(cases) // most]) for cases in functions.values() for i in range(most)}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]
"""


def run_file(options, name, mode, folder):
    """One file of tests in one mode -> the path of its results."""
    tests = options.checkout / "python"
    results = pathlib.Path(folder) / f"{name.replace('/', '-')}-{mode}.xml"
    environment = {**os.environ, "PYTHONPATH": f"{options.package}{os.pathsep}{folder}", "TILEWISE_ENGINE": options.engine}
    environment.pop("TRITON_INTERPRET", None)
    if mode == "interpreter":
        environment["TRITON_INTERPRET"] = "1"
    command = [options.python, "-m", "tilewise", "-m", "pytest", "-q", "--device=cpu", "-p", "no:cacheprovider", "-W", "ignore", "-c",
               f"{folder}/pytest.ini", f"--rootdir={tests}", f"--timeout={options.timeout}", f"--junitxml={results}", "--tb=short",
               f"test/unit/{name}.py"]
    if options.workers > 1:
        command += ["-n", str(options.workers)]
    if options.sample:
        environment["CONFORMANCE_SAMPLE"] = str(options.sample)
        command += ["-p", "conformance_sampler"]
    if mode == "interpreter":
        command += ["-m", "interpreter"]
    if options.filter:
        command += ["-k", options.filter]
    done = subprocess.run(command, cwd=tests, env=environment, capture_output=True, text=True)
    if not results.exists():
        print(f"{name} ({mode}): no results\n{done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr)
        return None
    return results


def reason(text):
    """The line of a failure that says most, with its numbers taken out so that like failures count together."""
    lines = [line[1:].strip() for line in text.splitlines() if line.startswith("E  ")]
    lines = [line for line in lines if line.strip("^ ") and not line.startswith("note:")]
    named = [line for line in lines if re.match(r"[\w.]+(Error|Failure|Construct)\b", line)]
    if named and "CompilationError" not in named[-1] and "CompileTime" not in named[-1]:
        return re.sub(r"\d+", "N", named[-1])[:160]
    return re.sub(r"\d+", "N", lines[-1])[:160] if lines else "no message"


def read(results):
    """Counts of a file's cases, and its failures by reason: {reason: Counter of functions}."""
    counts, failures = collections.Counter(), collections.defaultdict(collections.Counter)
    for case in ElementTree.parse(results).getroot().iter("testcase"):
        outcome = "passed"
        for child in case:
            if child.tag in ("failure", "error", "skipped"):
                outcome = {"failure": "failed", "error": "errors", "skipped": "skipped"}[child.tag]
                if outcome != "skipped":
                    failures[reason(child.text or child.get("message") or "")][case.get("name").partition("[")[0]] += 1
        counts[outcome] += 1
    return counts, failures


def table(rows):
    lines = ["| file | mode | passed | failed | errors | skipped | passed of run |", "|---|---|---|---|---|---|---|"]
    for name, mode, counts in rows:
        ran = counts["passed"] + counts["failed"] + counts["errors"]
        share = f"{100 * counts['passed'] / ran:.1f} %" if ran else ""
        lines.append(f"| {name} | {mode} | {counts['passed']} | {counts['failed']} | {counts['errors']} | {counts['skipped']} | {share} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--python", default=sys.executable, help="the Python to run the tests with")
    parser.add_argument("--package", default=ROOT / "build/release/python", help="the folder that holds the package")
    parser.add_argument("--engine", default="reference", choices=["reference", "cpu"])
    parser.add_argument("--mode", default="both", choices=["compiled", "interpreter", "both"])
    parser.add_argument("--files", nargs="*", default=FILES, help="as language/test_core")
    parser.add_argument("--filter", help="pytest's -k")
    parser.add_argument("--sample", type=int, default=0, help="at most so many cases of each test function")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--timeout", type=int, default=120, help="seconds for one case")
    parser.add_argument("--report", type=pathlib.Path, default=ROOT / "build/conformance.md")
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    modes = ["compiled", "interpreter"] if options.mode == "both" else [options.mode]
    rows, all_failures, total = [], {}, collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "pytest.ini").write_text("[pytest]\nmarkers =\n    interpreter: runs in upstream's interpreter, too\n")
        pathlib.Path(folder, "conformance_sampler.py").write_text(SAMPLER)
        for mode in modes:
            for name in options.files:
                results = run_file(options, name, mode, folder)
                if results is None:
                    continue
                counts, failures = read(results)
                rows.append((name, mode, counts))
                all_failures[(name, mode)] = failures
                total[mode] += counts
                print(table(rows)[-1], flush=True)
    lines = [f"# Upstream's tests on the {options.engine} engine", "", *table(rows + [("all", mode, total[mode]) for mode in modes]), ""]
    for (name, mode), failures in all_failures.items():
        if failures:
            lines += [f"## {name}, {mode}", ""]
            for why, functions in sorted(failures.items(), key=lambda item: -item[1].total()):
                told = ", ".join(f"{function} ({count})" for function, count in functions.most_common(8))
                lines.append(f"- {functions.total()}: `{why}` in {told}")
            lines.append("")
    options.report.parent.mkdir(parents=True, exist_ok=True)
    options.report.write_text("\n".join(lines))
    print(f"report: {options.report}")


if __name__ == "__main__":
    main()
