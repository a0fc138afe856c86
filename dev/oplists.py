"""dev/oplists.py FILE...: fails on a list of ops, as isa<tile::LoadOp, tile::StoreOp>, that occurs a second time in src/.

What two places ask about the same ops is a question of its own: an op interface (src/ir/TileInterfaces.td) or a function with a name, so that a
new op of the sort is added once. Prints `file:line: what is wrong` to stdout; nothing when all is in order. `dev/lint` calls it with every file.
"""
import re
import sys

LIST = re.compile(r"\b(?:isa|isa_and_present|isa_and_nonnull|IsaPred|dyn_cast)<([^<>;()]*,[^<>;()]*)>")

# Ops of these dialects are named with and without their namespace.
OWN = re.compile(r"^(?:mlir::|tile::|gpu::|cpu::)+")


def lists(text):
    """Each list of two ops or more, in an order of its own, with its line."""
    for match in LIST.finditer(text):
        names = sorted(OWN.sub("", name.strip()) for name in match[1].split(","))
        if all(name.endswith("Op") for name in names):
            yield ", ".join(names), text.count("\n", 0, match.start()) + 1


def main(files):
    first, failed = {}, False
    for path in files:
        if not path.startswith("src/") or not path.endswith((".cpp", ".h")):
            continue
        with open(path, encoding="utf-8") as file:
            for ops, line in lists(file.read()):
                if ops in first:
                    print(f"{path}:{line}: {first[ops]} asks for {ops}, too: give the question a name (src/ir/TileInterfaces.h)")
                    failed = True
                first.setdefault(ops, f"{path}:{line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
