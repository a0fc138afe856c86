"""dev/rooms.py FILE...: fails on an include against the order of rooms in src/rooms.txt, on tables of rooms that list another order, on a
back end that calls a job otherwise than the others do, and on a vendor's name in the room that all GPUs share.

Prints `file:line: what is wrong` to stdout; nothing when all is in order. `dev/lint` calls it with every file it looks at.
"""
import os
import re
import sys

ROOMS = "src/rooms.txt"
TABLES = ("src/README.md", "docs/architecture.md")
# What every back end has a file for: in its own folder, or in a room of target/ that it may include.
JOBS = ("Pipeline.cpp", "Passes.td", "Machine.h", "VerifyStage.cpp", "ToLlvm.cpp", "VerifyLlvmStage.cpp", "HostCalls.cpp")
SHARED_BY_GPUS = "src/target/gpu/"
# A machine's name as text, such as "nvidia:90", is an example or a default.
VENDORS = re.compile(r"nvidia(?!:\d)|cuda|nvvm|rocm|\b(?:amd|hip|hopper|blackwell|ptx|sm_\d+\w*|wgmma|ldmatrix|stmatrix|mbarrier)\b", re.IGNORECASE)


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


def wrong_back_ends(files, rooms):
    wrong = []
    for path in files:
        match = re.fullmatch(r"src/(target/\w+)/Backend\.cpp", path)
        if not match:
            continue
        near = {match[1], *(room for room in rooms.get(match[1], ()) if room.startswith("target/"))}
        names = {os.path.basename(file) for file in files if any(file.startswith(f"src/{room}/") for room in near)}
        wrong += [f"{path}:1: {match[1]} has no {job}, as the file of this job is called in every back end" for job in JOBS if job not in names]
        with open(path, encoding="utf-8") as file:
            if not re.search(r'#include "target/[\w/]+/Emit\w+\.h"', file.read()):
                wrong.append(f"{path}:1: it includes no Emit....h, as the file that makes code of LLVM IR is called in every back end")
    return wrong


def vendors_in(path, text):
    found = ((number, VENDORS.search(line)) for number, line in enumerate(text.splitlines(), 1))
    return [f"{path}:{number}: '{match[0]}' is a vendor's: {SHARED_BY_GPUS} serves all GPUs, through Machine.h" for number, match in found if match]


def main(files):
    with open(ROOMS, encoding="utf-8") as lines:
        rooms, wrong = read_rooms(lines)
    for path in files:
        is_source = path.startswith("src/") and path.endswith((".h", ".cpp", ".def", ".inc"))
        is_shared = path.startswith(SHARED_BY_GPUS)
        if not is_source and not is_shared and path not in TABLES:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if is_source:
            wrong += wrong_includes(path, text, rooms)
        elif path in TABLES:
            wrong += wrong_table(path, text, rooms)
        if is_shared:
            wrong += vendors_in(path, text)
    wrong += wrong_back_ends(files, rooms)
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
