"""tilewise tune --ray: the machines of a Ray cluster tune, one of each kind, and the others of that kind get what it found and compiled.

A kind is what a tuning result is kept for, a processor with its number of threads or a GPU (`tilewise info`: "tuned as"), in one build of Tilewise.
On each machine the tool itself tunes (src/cli/Tune.cpp), in the machine's own cache, whose entries then move as `tilewise cache export` writes
them. Ray brings words and files there and back, and gives the machine to nobody else meanwhile."""

import ast
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

USAGE = "try 'tilewise tune --help'"


class Wrong(Exception):
    """What is wrong with the call, or with the cluster."""

    code = 1


class WrongUsage(Wrong):
    code = 2


def _taken(words, name):
    """Takes --NAME VALUE and --NAME=VALUE out of the words; gives the last value."""
    value, rest = None, []
    words = iter(words)
    for word in words:
        if word == name:
            value = next(words, None)
            if value is None:
                raise WrongUsage(f"{name} needs a value")
        elif word.startswith(name + "="):
            value = word[len(name) + 1:]
        else:
            rest.append(word)
    return value, rest


def _imported(path, text):
    """The files beside `path` that its imports may name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] + [f"{node.module or ''}.{alias.name}".lstrip(".") for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            for depth in range(1, len(parts) + 1):
                base = path.parent.joinpath(*parts[:depth])
                yield from (file for file in (base.with_suffix(".py"), base / "__init__.py") if name and file.is_file())


def _with_imports(path):
    """{path: text} of a kernel file and of what it imports from its folder."""
    files, left = {}, [path]
    while left:
        file = left.pop()
        if str(file) not in files:
            files[str(file)] = file.read_text()
            try:
                left += _imported(file, files[str(file)])
            except SyntaxError:
                pass  # the tool tells it with its line
    return files


def _tool(*words, **environment):
    from .tool import native_tool
    return subprocess.run([native_tool(), *words], capture_output=True, text=True, env={**os.environ, **environment}, check=False)


# What runs on the machines.


def _kind(device):
    """What this machine's results are kept for, and the build; or why it cannot tune."""
    from . import _native
    told = _tool("info")
    found = re.search(rf"^ +tuned as ({device}.*)$", told.stdout, re.MULTILINE)
    if not found:
        return None, f"its engine for {device} does not work; 'tilewise info' there says why"
    return (found[1], _native.build_id()), ""


def _tune(words, file, kernel, files):
    """(exit code, what the tool said, its results as a tuning file, the cache's entries of the kernel)"""
    with tempfile.TemporaryDirectory() as scratch:
        there = pathlib.Path(scratch)
        # The same file in the same place: its compiled kernels are found by programs of that place. Else a copy: the times are of use all the same.
        if any(not pathlib.Path(path).is_file() or pathlib.Path(path).read_text() != text for path, text in files.items()):
            root = os.path.dirname(file)
            for path, text in files.items():
                copy = there / "kernel" / os.path.relpath(path, root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(text)
            file = str(there / "kernel" / os.path.basename(file))
        results, entries = there / "results.json", there / "entries"
        told = _tool("tune", file + kernel, f"--save={results}", *words)
        if told.returncode != 0 or not results.exists():
            return told.returncode, told.stdout + told.stderr, "", b""
        text = results.read_text()
        name = re.search(r'"kernel": "([^"]*)"', text)
        if name:
            _tool("cache", "export", str(entries), f"--only={name[1]}")
        return 0, told.stdout + told.stderr, text, entries.read_bytes() if entries.exists() else b""


def _take(entries):
    """Adds another machine's entries to this one's cache; gives what the tool said."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(entries)
        file.flush()
        told = _tool("cache", "import", file.name)
        return told.returncode, (told.stdout + told.stderr).strip()


# What asks them.


def _knock(address):
    """Says at once where nobody listens: Ray would try for minutes."""
    place = re.fullmatch(r"(?:ray://)?([^:/]+):(\d+)", address)
    if place:
        try:
            socket.create_connection((place[1], int(place[2])), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise Wrong(f"no Ray cluster answers at {address}: {error}") from None


class Cluster:
    """The machines of a Ray cluster, each called by its address."""

    def __init__(self, address, needs_gpu):
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of what will be its default
        try:
            import ray
            ray.init  # noqa: B018 (a folder called ray in this one is a package without it)
        except (ImportError, AttributeError):
            raise Wrong("--ray needs Ray in this Python: pip install ray") from None
        self._ray, self._needs_gpu = ray, needs_gpu
        _knock(address)
        try:
            ray.init(address=address or "auto", log_to_driver=False, logging_level="ERROR", configure_logging=True)
        except (ConnectionError, ValueError) as error:
            raise Wrong(f"no Ray cluster answers at {address}: {error}" if address else
                        "no Ray cluster runs on this machine: start one by 'ray start --head', or name one as in --ray=HOST:6379") from None
        wanted = "GPU" if needs_gpu else "CPU"
        self.machines = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get(wanted, 0) >= 1]
        if not self.machines:
            raise Wrong(f"no machine of the cluster offers a {wanted}")

    @staticmethod
    def name(machine):
        return f"{machine['NodeManagerAddress']} ({machine['NodeID'][:6]})"

    def start(self, machine, function, *arguments, alone=False):
        """Begins function(*arguments) on a machine; `alone` with all its cores, so that nothing else of Ray's runs there."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
        place = NodeAffinitySchedulingStrategy(node_id=machine["NodeID"], soft=False)
        remote = self._ray.remote(function).options(scheduling_strategy=place, num_cpus=machine["Resources"].get("CPU", 0) if alone else 0,
                                                    num_gpus=1 if self._needs_gpu else 0, max_retries=0)
        return remote.remote(*arguments)

    def wait(self, started, otherwise):
        try:
            return self._ray.get(started)
        except self._ray.exceptions.RayError as error:
            return otherwise(str(error).strip().splitlines()[-1])


def _kernel_file(words):
    """(the index of FILE or FILE:KERNEL among the words, the file's path, ":KERNEL" or "")"""
    for at, word in enumerate(words):
        file, colon, kernel = word.rpartition(":")
        for path, rest in ((word, ""), (file, colon + kernel)):
            if path and not word.startswith("--") and os.path.isfile(path):
                return at, pathlib.Path(path).absolute(), rest
    named = [word for word in words if re.fullmatch(r".+\.py(:\w+)?", word)]
    if named:
        raise Wrong(f"there is no file '{named[0].partition(':')[0]}'")
    raise WrongUsage("a kernel file is missing")


def _run(words):
    ray = [word for word in words if word == "--ray" or word.startswith("--ray=")]
    words = [word for word in words if word not in ray]
    save, words = _taken(words, "--save")
    device, _ = _taken(words, "--device")
    at, path, kernel = _kernel_file(words)
    rest = words[:at] + words[at + 1:]
    engine = (device or "cpu").partition(":")[0]
    cluster = Cluster(ray[0].partition("=")[2], engine == "cuda")

    kinds, failed = {}, False
    asked = [(machine, cluster.start(machine, _kind, engine)) for machine in cluster.machines]
    for machine, started in asked:
        kind, why = cluster.wait(started, lambda error: (None, error))
        if kind is None:
            failed = True
            print(f"{cluster.name(machine)}: left out: {why}", file=sys.stderr)
        else:
            kinds.setdefault(kind, []).append(machine)
    tuning = [(kind, cluster.start(machines[0], _tune, rest, str(path), kernel, _with_imports(path), alone=True)) for kind, machines in kinds.items()]
    for (place, _), started in tuning:
        machines = kinds[place, _]
        code, said, results, entries = cluster.wait(started, lambda error: (1, error, "", b""))
        print(f"{place}, tuned on {cluster.name(machines[0])}:")
        print(said.rstrip())
        if code != 0:
            failed = True
            continue
        for machine, taken in [(machine, cluster.start(machine, _take, entries)) for machine in machines[1:]]:
            code, said = cluster.wait(taken, lambda error: (1, error))
            failed |= code != 0
            print(f"{cluster.name(machine)}: {said}")
        if save:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(results)
                file.flush()
                told = _tool("tune", f"--merge={file.name}", f"--save={save}")
            failed |= told.returncode != 0
            print(told.stderr, end="", file=sys.stderr)
    return 1 if failed else 0


def main(words):
    """Gives the exit code."""
    if not any(word == "--ray" or word.startswith("--ray=") for word in words) or "--help" in words:
        from .tool import native_tool
        os.execv(native_tool(), ["tilewise", "tune", *words])
    try:
        return _run(words)
    except Wrong as wrong:
        print(f"tilewise tune: {wrong}" + (f"\n{USAGE}" if isinstance(wrong, WrongUsage) else ""), file=sys.stderr)
        return wrong.code
