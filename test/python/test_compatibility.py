"""docs/compatibility.md is what dev/compatibility would write from its inputs and this package, and what it says is there is there."""

import importlib.util
import pathlib

import pytest
from conftest import ROOT


@pytest.fixture(scope="module")
def script():
    path = pathlib.Path(ROOT) / "dev/compatibility.py"
    if not path.exists():
        pytest.skip("the scripts of dev/ are not beside these tests")
    spec = importlib.util.spec_from_file_location("compatibility", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(script):
    text, wrong = script.render()
    assert wrong == []
    assert script.PAGE.read_text() == text, "run dev/compatibility"


def test_every_name_that_is_missing_needs_a_reason(script):
    groups = {"triton": ["jit", "no_such_name"], "triton.no_such_module": ["a"], "triton.language.tensor": ["sum", "no_such_method"]}
    classes, wrong = script.classify(groups, {"triton.jit": ("partly", "because"), "triton.language": ("no", "never asked")})
    assert classes["triton"]["jit"] == ("partly", "because") and classes["triton.language.tensor"]["sum"] == ("yes", "")
    told = "the package lacks it, and reasons.txt does not say why"
    assert wrong == [f"triton.no_such_name: {told}", f"triton.no_such_module.a: {told}", f"triton.language.tensor.no_such_method: {told}",
                     "triton.language: in reasons.txt, but not needed"]


def test_the_language_is_there_whole(script):
    names = script.read_names()
    classes, _ = script.classify({group: names[group] for group in ("triton", "triton.language", "triton.language.extra.libdevice")}, {})
    assert len(names["triton.language"]) > 130
    assert all(kind == "yes" for group in classes.values() for kind, _ in group.values())
