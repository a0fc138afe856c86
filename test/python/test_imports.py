"""Importing Tilewise changes nothing in torch, in sys or in threading: what changes torch is loaded only when it is asked for."""

import json
import os
import subprocess
import sys

import pytest

# What a process sees of itself; compared by identity, so that a function put in another's place shows.
OBSERVE = """
import json, sys, threading

def attributes(prefix):
    return {(name, attribute): value for name, module in list(sys.modules.items()) if name.partition(".")[0] == prefix and hasattr(module, "__dict__")
            for attribute, value in list(vars(module).items())}

def members(kinds):
    return {(kind, attribute): value for kind in kinds for attribute, value in list(vars(kind).items())}

def observe():
    torch = sys.modules.get("torch")
    kinds = [threading.Thread] + ([torch.Tensor, torch.cuda.Stream, torch.cuda.Event] if torch else [])
    return {"torch": attributes("torch"), "classes": members(kinds), "meta_path": list(sys.meta_path), "path_hooks": list(sys.path_hooks), "path": list(sys.path),
            "hooks": [sys.excepthook, sys.displayhook, sys.gettrace(), sys.getprofile(), threading.excepthook, sys.breakpointhook]}

def differences(before, after):
    found = []
    for what, old in before.items():
        new = after[what]
        pairs = old.items() if isinstance(old, dict) else enumerate(old)
        if len(old) != len(new):
            found.append([what, f"{len(old)} -> {len(new)}"])
        found += [[what, str(key)] for key, value in pairs if len(old) == len(new) and new[key] is not value and not isinstance(value, str)]
    return found
"""


def run(text, cwd, **environment):
    environment = {**{name: value for name, value in os.environ.items() if name != "TILEWISE_CUDA_AS_CPU"}, **environment}
    done = subprocess.run([sys.executable, "-c", OBSERVE + text], capture_output=True, text=True, cwd=cwd, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("imported", ["import tilewise", "import tilewise.language, tilewise.testing, tilewise.profiler, tilewise.tools.tensor_descriptor"])
def test_an_import_leaves_sys_as_it_is(tmp_path, imported):
    told = run(f"""
before, modules = observe(), set(sys.modules)
{imported}
changed = differences(before, observe())
ours = [name for name in sys.modules if name not in modules]
foreign = sorted(name for name in ours if name.partition(".")[0] not in (*sys.stdlib_module_names, "tilewise"))
print(json.dumps([changed, foreign, [name for name in ours if "cuda_as_cpu" in name]]))""", tmp_path)
    assert told == [[], [], []]


def test_the_redirect_adds_its_finder_and_its_folder_and_nothing_else(tmp_path):
    told = run("""
before, modules = observe(), set(sys.modules)
import tilewise
tilewise.install()
import triton
import triton.language
after = observe()
added = [finder for finder in after["meta_path"] if finder not in before["meta_path"]]
after["meta_path"] = [finder for finder in after["meta_path"] if finder not in added]
after["path"] = [path for path in after["path"] if path != tilewise.redirect.FOLDER]
foreign = sorted({name.partition(".")[0] for name in sys.modules if name not in modules} - set(sys.stdlib_module_names))
print(json.dumps([differences(before, after), [type(finder).__module__ for finder in added], foreign, "tilewise.cuda_as_cpu" in sys.modules]))""", tmp_path)
    assert told == [[], ["tilewise.redirect"], ["tilewise", "triton"], False]


def test_torch_that_is_there_stays_as_it_is(tmp_path):
    pytest.importorskip("torch")
    told = run("""
import torch
before = observe()
import tilewise as triton, tilewise.language as tl
wrapped = [name for name, value in vars(torch.cuda).items() if getattr(value, "__module__", "").startswith("tilewise")]
print(json.dumps([differences(before, observe()), wrapped, "tilewise.cuda_as_cpu" in sys.modules]))""", tmp_path)
    assert told == [[], [], False]


def test_torch_is_imported_by_its_own_loader(tmp_path):
    pytest.importorskip("torch")
    told = run("""
import tilewise as triton, tilewise.language as tl
import torch
finders = [str(finder) for finder in sys.meta_path if type(finder).__module__.startswith("tilewise")]
wrapped = [name for name, value in vars(torch.cuda).items() if getattr(value, "__module__", "").startswith("tilewise")]
print(json.dumps([finders, wrapped, type(torch.__loader__).__name__, sys.excepthook is sys.__excepthook__]))""", tmp_path)
    assert told == [[], [], "SourceFileLoader", True]


def test_the_observer_sees_what_the_switch_changes(tmp_path):
    """The tests above can fail: the same observation with the switch on finds torch changed."""
    pytest.importorskip("torch")
    told = run("""
import torch
before = observe()
import tilewise
print(json.dumps(sorted({what for what, _ in differences(before, observe())})))""", tmp_path, TILEWISE_CUDA_AS_CPU="1")
    assert told == ["classes", "torch"]
