"""tilewise check: the pitfalls that only it looks for, no word about kernels that are right, and SARIF as its standard wants it."""

import json
import pathlib
import re
import subprocess

import pytest
import tilewise

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = pathlib.Path(tilewise.__file__).parents[2] / "bin" / "tilewise"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="the tool is not beside the package")

HEAD = "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):\n"
WALK = "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
LOADED = WALK + "    x = tl.load(x_ptr + at, mask=at < n)\n"
STORE = "    tl.store(y_ptr + at, x, mask=at < n)\n"

# (name, body, the line of the file that is blamed, what is said of it)
PITFALLS = [
    ("a block as a condition", LOADED + "    if x > 0:\n        x += 1\n" + STORE, 9, "'if' needs a scalar test, got int1"),
    ("a block ends a loop", LOADED + "    while x > 0:\n        x -= 1\n" + STORE, 9, "'while' needs a scalar test"),
    ("a block chooses", LOADED + "    x = x if x > 0 else 0.0\n" + STORE, 9, "choose per element with tl.where"),
    ("a block as a loop's end", LOADED + "    for i in range(x):\n        x += i\n" + STORE, 9, "a loop's bounds are scalar ints"),
    ("a pointer by index", WALK + "    tl.store(y_ptr + at, x_ptr[at], mask=at < n)\n", 8, "elements are reached through tl.load"),
    ("a length of 100", "    at = tl.program_id(0) * 100 + tl.arange(0, 100)\n    tl.store(y_ptr + at, at, mask=at < n)\n", 7, "must be a power of 2"),
    ("a neighbour beyond the mask", LOADED + "    x += tl.load(x_ptr + at + 1, mask=at < n)\n" + STORE, 9, "goes 1 element beyond 'n'"),
    ("a neighbour before the tensor", LOADED + "    x += tl.load(x_ptr + at - 1, mask=at < n)\n" + STORE, 9, "begins 1 element before the tensor"),
    ("a mask of places in the block", "    i = tl.arange(0, BLOCK)\n    at = tl.program_id(0) * BLOCK + i\n    tl.store(y_ptr + at, at, mask=i < n)\n", 9,
     "the same lanes in every program"),
    ("a mask that ends one later", WALK + "    x = tl.load(x_ptr + at, mask=at <= n)\n" + STORE, 8, "write < in place of <="),
    ("updates that get lost", LOADED + "    bin = x.to(tl.int32)\n    tl.store(y_ptr + bin, tl.load(y_ptr + bin) + 1, mask=at < n)\n", 10, "write tl.atomic_add"),
    ("exponentials that overflow", "    at = tl.arange(0, BLOCK)\n    row = tl.program_id(0) * n\n    e = tl.exp(tl.load(x_ptr + row + at, at < n, -float('inf')))\n"
     "    tl.store(y_ptr + row + at, e / tl.sum(e, axis=0), mask=at < n)\n", 9, "no maximum was subtracted"),
]


def check(*words):
    done = subprocess.run([TOOL, "check", *map(str, words)], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("body, line, said", [row[1:] for row in PITFALLS], ids=[row[0] for row in PITFALLS])
def test_a_pitfall_is_found_at_its_line(tmp_path, body, line, said):
    path = tmp_path / "k.py"
    path.write_text(HEAD + body)
    code, told, _ = check(path)
    assert code == 1 and re.search(rf"k\.py:{line}:\d+: (error|warning): [^\n]*{re.escape(said)}", told), told
    assert told.endswith("1 kernel, 1 found\n"), told


# A helper of another file's kernels, and a tuple.
HELPERS = """import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x * 2


@triton.jit
def first(x_ptr, sizes):
    at = tl.arange(0, 16)
    tl.store(x_ptr + at, at, mask=at < sizes[0])
"""


def test_what_a_guess_of_types_may_be_wrong_about_is_no_finding(tmp_path):
    path = tmp_path / "helpers.py"
    path.write_text(HELPERS)
    code, told, _ = check(path)
    assert code == 0 and told.endswith("2 kernels, 0 found\n"), told


def test_kernels_that_are_right_are_not_blamed():
    """The one that is there for its mistake aside."""
    files = [*(ROOT / "kernels").glob("*.py"), *(ROOT / "learn").glob("*/solution.py"), *(ROOT / "learn/scripts").glob("*.py")]
    files = [path for path in files if path.name != "buggy_add.py"]
    assert len(files) > 40
    code, told, _ = check(*files)
    assert code == 0, told


# What SARIF 2.1.0 says of the objects that are written: their members, and which of them must be there.
STRING, INTEGER, URI = str, int, "uri"
OBJECTS = {
    "log": {"$schema": URI, "version!": ["2.1.0"], "runs!": ["run"]},
    "run": {"tool!": "tool", "results": ["result"], "columnKind": STRING},
    "tool": {"driver!": "component"},
    "component": {"name!": STRING, "version": STRING, "informationUri": URI, "rules": ["rule"]},
    "rule": {"id!": STRING, "shortDescription": "text", "fullDescription": "text", "helpUri": URI},
    "text": {"text!": STRING},
    "result": {"message!": "text", "ruleId": STRING, "level": ["none", "note", "warning", "error"], "locations": ["location"]},
    "location": {"physicalLocation": "place"},
    "place": {"artifactLocation!": "artifact", "region": "region"},
    "artifact": {"uri": URI},
    "region": {"startLine": INTEGER, "startColumn": INTEGER},
}


def problems(value, kind, where="log"):
    """What the standard does not allow in a value, one text each."""
    if kind is STRING and not (isinstance(value, str) and value):
        return [f"{where}: {value!r} is no text"]
    if kind is INTEGER and not (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return [f"{where}: {value!r} is no number from 1 on"]
    if kind == URI and not (isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|(%[0-9A-F]{2}|[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=])+", value)):
        return [f"{where}: {value!r} is no reference"]
    if isinstance(kind, list) and kind[0] in OBJECTS:
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        return [problem for i, each in enumerate(value) for problem in problems(each, kind[0], f"{where}[{i}]")]
    if isinstance(kind, list):
        return [] if value in kind else [f"{where}: {value!r} is none of {kind}"]
    if kind not in OBJECTS:
        return []
    if not isinstance(value, dict):
        return [f"{where}: {value!r} is no object"]
    members = {name.rstrip("!"): member for name, member in OBJECTS[kind].items()}
    found = [f"{where}: '{name}' is missing" for name in OBJECTS[kind] if name.endswith("!") and name[:-1] not in value]
    for name, each in value.items():
        found += problems(each, members[name], f"{where}.{name}") if name in members else [f"{where}: '{name}' is no member"]
    return found


def test_sarif_is_as_the_standard_wants_it(tmp_path):
    path = tmp_path / "a file with ü and 100%.py"
    path.write_text(HEAD + LOADED + "    x += tl.load(x_ptr + at + 1, mask=at < n)\n    if x > 0:\n        x += 1\n" + STORE)
    code, told, _ = check(path, "--sarif", "-")
    log = json.loads(told)
    assert code == 1 and problems(log, "log") == []
    run, = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert {result["ruleId"] for result in run["results"]} <= set(rules)
    assert [(result["ruleId"], result["level"]) for result in run["results"]] == [("error", "error")], "a kernel that does not compile has no warnings"
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place["region"] == {"startLine": 10, "startColumn": 8}
    assert place["artifactLocation"]["uri"].endswith("/a%20file%20with%20%C3%BC%20and%20100%25.py")


def test_sarif_of_nothing_found_has_results_all_the_same():
    code, told, _ = check(ROOT / "kernels" / "vector_add.py", "--sarif", "-")
    log = json.loads(told)
    assert code == 0 and problems(log, "log") == [] and log["runs"][0]["results"] == []


# The names that the standard's schema has for them.
CLASSES = {"log": "SarifLog", "run": "Run", "tool": "Tool", "component": "ToolComponent", "rule": "ReportingDescriptor", "result": "Result",
           "location": "Location", "place": "PhysicalLocation", "artifact": "ArtifactLocation", "region": "Region"}


@pytest.mark.parametrize("kind", [*CLASSES, "text"])
def test_the_structure_is_that_of_the_published_schema(kind):
    """sarif-om's classes are generated from it: a member without a default must be there. A text is a message or one that may be formatted, too."""
    classes, nothing = pytest.importorskip("sarif_om"), pytest.importorskip("attr").NOTHING
    # Of these the schema asks for one of two members, and the other one is not written here.
    one_of_two = {"text": {"text"}, "place": {"artifactLocation"}}.get(kind, set())
    members = {member.rstrip("!") for member in OBJECTS[kind]}
    needed = {member.rstrip("!") for member in OBJECTS[kind] if member.endswith("!")}
    for name in [CLASSES[kind]] if kind in CLASSES else ["Message", "MultiformatMessageString"]:
        fields = {field.metadata["schema_property_name"]: field.default is nothing for field in getattr(classes, name).__attrs_attrs__}
        assert members <= set(fields), name
        assert needed - one_of_two <= {member for member, is_needed in fields.items() if is_needed} <= needed, name


def test_the_check_of_the_structure_finds_what_is_wrong():
    good = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t"}}, "results": [{"message": {"text": "m"}, "level": "error"}]}]}
    assert problems(good, "log") == []
    for spoil in (lambda log: log.update(version="2.0.0"), lambda log: log.pop("runs"), lambda log: log["runs"][0].pop("tool"),
                  lambda log: log["runs"][0]["results"][0].update(level="fatal"), lambda log: log["runs"][0]["results"][0].update(line=1),
                  lambda log: log["runs"][0]["results"][0]["message"].pop("text")):
        log = json.loads(json.dumps(good))
        spoil(log)
        assert problems(log, "log"), spoil
