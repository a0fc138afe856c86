"""dev/rooms.py FILE...: fails on an include against the order of rooms in src/rooms.txt, and on tables of rooms that list another order.

Prints `file:line: what is wrong` to stdout; nothing when all is in order. `dev/lint` calls it with every file it looks at.
"""
import os
import re
import sys

ROOMS = "src/rooms.txt"
TABLES = ("src/README.md", "docs/architecture.md")


def read_rooms(lines):
    """Each room with the set of rooms it may include, in order; and what is wrong with the list itself."""
    rooms, wrong = {}, []
    for number, line in enumerate(lines, 1):
        if line.startswith("#") or not line.strip():
            continue
        name, _, named = line.partition(":")
        allowed = {name}
        for other in named.split():
            inner = [room for room in rooms if other.endswith("/*") and room.startswith(other[:-1])]
            above = [room for room in (other.removesuffix("/*"), *inner) if room in rooms]
            if not above:
                wrong.append(f"{ROOMS}:{number}: '{name}' may include '{other}', which stands on no line above it")
            allowed.update(above)
        rooms[name] = allowed
    return rooms, wrong


def room_of(path, rooms):
    """The room of a path below src/: the file itself or its longest folder that has a line."""
    folder = path
    while folder and folder not in rooms:
        folder = os.path.dirname(folder)
    return folder


def wrong_includes(path, text, rooms):
    room = room_of(path.removeprefix("src/"), rooms)
    if not room:
        return [f"{path}:1: this folder has no line in {ROOMS}"] if "/" in path.removeprefix("src/") else []
    wrong = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include "([a-z]+/[^"]+)"', line)
        other = room_of(match[1], rooms) if match else ""
        if other and other not in rooms[room]:
            why = "may not include" if list(rooms).index(other) < list(rooms).index(room) else "stands below"
            wrong.append(f"{path}:{number}: '{room}' {why} '{other}' ({ROOMS}): {match[1]}")
    return wrong


def wrong_table(path, text, rooms):
    """A table lists rooms, not the folders inside them, those of target/ excepted."""
    listed = re.findall(r"^\| `([a-z/]+?)/`", text, re.MULTILINE)
    expected = [room for room in rooms if "/" not in room or re.fullmatch(r"target/\w+", room)]
    expected = [room for room in expected if os.path.isdir(os.path.join("src", room))]
    if listed == expected:
        return []
    return [f"{path}:1: its table lists the rooms {' '.join(listed)}; expected the order of {ROOMS}: {' '.join(expected)}"]


def main(files):
    with open(ROOMS, encoding="utf-8") as lines:
        rooms, wrong = read_rooms(lines)
    for path in files:
        is_source = path.startswith("src/") and path.endswith((".h", ".cpp", ".def", ".inc"))
        if not is_source and path not in TABLES:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        wrong += wrong_includes(path, text, rooms) if is_source else wrong_table(path, text, rooms)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
