"""Earlier runs, a line of JSON each, and which results are slower now than they were."""

import json
import platform
import statistics

#: How much slower a result must be to be marked: runs of a machine with other load differ by some percent.
TOLERANCE = 1.15
#: So many of the latest runs are what a result is compared with.
WINDOW = 5


def machine_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), platform.machine())
    except OSError:
        model = platform.machine()
    return model


def read(path):
    """The runs in a file, oldest first; a line that cannot be read is left out."""
    runs = []
    try:
        with open(path, encoding="utf-8") as file:
            for line in file:
                try:
                    runs.append(json.loads(line))
                except ValueError:
                    continue
    except OSError:
        pass
    return runs


def append(path, run):
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(run, sort_keys=True) + "\n")


def as_run(results, when, version, setting):
    return {"when": when, "version": version, "setting": list(setting),
            "results": [{"name": each.name, "size": each.size, "device": each.device, "milliseconds": each.milliseconds} for each in results]}


def setting(library, threads):
    """Runs are compared with runs of the same machine, threads and library of separate operations."""
    return (machine_name(), threads, library)


def earlier(runs, result, setting):
    """(milliseconds, speed-up) of the same work in the same setting, oldest first."""
    found = []
    for run in runs:
        if run.get("setting") != list(setting):
            continue
        for each in run["results"]:
            if (each["name"], each["size"], each["device"]) == (result.name, result.size, result.device):
                times = each["milliseconds"]
                found.append((times["tilewise"], times["unfused"] / times["tilewise"]))
    return found[-WINDOW:]


def mark(runs, results, setting):
    """Sets each result's mark. A result is slower when both its time and its speed-up over the separate operations, timed in the same minutes, are worse."""
    for result in results:
        before = earlier(runs, result, setting)
        if not before:
            continue
        time = statistics.median(each for each, _ in before)
        speedup = statistics.median(each for _, each in before)
        if result.milliseconds["tilewise"] > TOLERANCE * time and result.speedup * TOLERANCE < speedup:
            result.mark = "slower than before"
        elif result.milliseconds["tilewise"] * TOLERANCE < time and result.speedup > TOLERANCE * speedup:
            result.mark = "faster than before"
