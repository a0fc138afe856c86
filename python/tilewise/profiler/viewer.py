"""Prints what a session has written: `parse(metrics, "run.hatchet")`, then `print_tree`."""

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
