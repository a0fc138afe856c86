"""Prints what a session has written: `python -m tilewise.profiler.viewer run.hatchet`, or `parse(metrics, "run.hatchet")` and `print_tree`."""

import argparse
import json
import re

_UNITS = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}
_RATES = {"": 1, "g": 1e9, "t": 1e12}


def read(filename):
    """The tree of a file, and what it knows of devices."""
    with open(filename) as file:
        return json.load(file)


def _total(node, name):
    """Of the node and everything below it; a scope's own numbers are for all of it."""
    return node["metrics"].get(name, 0) or sum(_total(child, name) for child in node["children"])


def _value(node, metric):
    """A metric of upstream's viewer: time/ms, avg_time/us, count, tflop/s, gbyte/s, or a name that was recorded."""
    took, count = _total(node, "time (ns)"), _total(node, "count")
    if found := re.fullmatch(r"(avg_)?time/(s|ms|us|ns)", metric):
        return took / _UNITS[found[2]] / (max(count, 1) if found[1] else 1)
    if found := re.fullmatch(r"([gt]?)(flop|byte)(\d*)/s", metric):
        names = (f"flops{found[3]}", "flops") if found[2] == "flop" else ("bytes",)
        amount = next((total for name in names if (total := _total(node, name))), 0)
        return amount / took * 1e9 / _RATES[found[1]] if took else 0
    return _total(node, metric)


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """The tree with these metrics at each node, less the nodes that are not wanted."""
    metrics = metrics.split(",") if isinstance(metrics, str) else list(metrics)

    def shown(node):
        children = [child for child in map(shown, node["children"]) if child is not None]
        name = node["frame"]["name"]
        values = {metric: _value(node, metric) for metric in metrics}
        wanted = (include is None or re.search(include, name)) and (exclude is None or not re.search(exclude, name))
        if (threshold is not None and metrics and values[metrics[0]] < threshold) or not (wanted or children):
            return None
        return {"name": name, "metrics": values, "children": children}

    return shown(read(filename)[0]), metrics


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    """One line per scope and kernel: its first metric, and its name."""

    def lines(node, indent, level):
        print(f"{node['metrics'][metrics[0]]:.3f} {indent}{node['name']}")
        children = node["children"]
        if print_sorted:
            children = sorted(children, key=lambda child: -child["metrics"][metrics[0]])
        for child in children if level < depth else ():
            lines(child, indent + "  ", level + 1)

    if tree is not None:
        lines(tree, "", 0)


def main():
    parser = argparse.ArgumentParser(prog="python -m tilewise.profiler.viewer", description="Prints the tree of scopes and kernels of a profile.")
    parser.add_argument("profile", help="the file that profiler.finalize() wrote, as run.hatchet")
    parser.add_argument("-m", "--metrics", default="time/ms", help="what to print, the first of a list between commas: time/ms, avg_time/us, count, "
                        "gbyte/s, tflop/s, or a name that was recorded (default: time/ms)")
    parser.add_argument("-i", "--include", help="only what this regular expression finds, and what is above it")
    parser.add_argument("-e", "--exclude", help="without what this regular expression finds")
    parser.add_argument("-t", "--threshold", type=float, help="without what is below this")
    parser.add_argument("-d", "--depth", type=int, default=100, help="how many levels (default: all)")
    parser.add_argument("--print-sorted", action="store_true", help="the largest first")
    given = parser.parse_args()
    tree, metrics = parse(given.metrics, given.profile, given.include, given.exclude, given.threshold)
    print_tree(tree, metrics, given.depth, print_sorted=given.print_sorted)


if __name__ == "__main__":
    main()
