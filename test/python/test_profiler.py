"""triton.profiler: launches by scope, in files that a viewer of such files reads."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl
import tilewise.profiler as proton
from tilewise.profiler import viewer


def _work(grid, metadata, arguments):
    return {"name": f"twice_{arguments['n']}", "flops": arguments["n"], "bytes": 8 * arguments["n"]}


@triton.jit(launch_metadata=_work)
def twice(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


def launch(n=40):
    x = np.ones(n, np.float32)
    twice[(triton.cdiv(n, 16),)](x, n, BLOCK=16)
    assert (x == 2).all()


@pytest.fixture(autouse=True)
def ended():
    yield
    if proton._sessions:
        proton._sessions.clear()
        triton.knobs.runtime.launch_enter_hook.remove(proton._launch_begins)
        triton.knobs.runtime.launch_exit_hook.remove(proton._launch_ends)


def tree_of(path):
    """name -> (metrics, children) of a file's tree."""

    def named(node):
        return {child["frame"]["name"]: (child["metrics"], named(child)) for child in node["children"]}

    return named(json.loads(path.read_text())[0])


def test_launches_are_counted_and_timed_by_scope(tmp_path):
    launch()  # before: not recorded
    session = proton.start(str(tmp_path / "run"))
    began = time.perf_counter_ns()
    launch()
    with proton.scope("outer", {"rows": 3}):
        proton.enter_scope("inner")
        launch()
        launch()
        proton.exit_scope("inner")
    took = time.perf_counter_ns() - began
    proton.deactivate(session)
    launch()
    proton.activate(session)
    assert proton.data.get(session)[0]["children"][0]["metrics"]["count"] == 1
    proton.finalize()
    launch()  # after: the hooks are gone
    tree = tree_of(tmp_path / "run.hatchet")
    assert tree["twice"][0]["count"] == 1
    assert tree["outer"][0] == {"rows": 3}
    inner = tree["outer"][1]["inner"][1]["twice"][0]
    assert inner["count"] == 2 and inner["device_type"] == "CPU"
    assert 0 < tree["twice"][0]["time (ns)"] + inner["time (ns)"] <= took


def test_the_kernels_own_numbers(tmp_path, capsys):
    proton.start(str(tmp_path / "run"), hook="triton")
    for _ in range(3):
        launch(40)
    launch(50)
    proton.finalize()
    tree = tree_of(tmp_path / "run.hatchet")
    assert tree["twice_40"][0]["count"] == 3 and tree["twice_40"][0]["flops"] == 120 and tree["twice_50"][0]["bytes"] == 400
    shown, metrics = viewer.parse(["avg_time/us", "gbyte/s", "flop/s", "count"], str(tmp_path / "run.hatchet"), exclude="_50")
    assert metrics[0] == "avg_time/us" and [child["name"] for child in shown["children"]] == ["twice_40"]
    values, node = shown["children"][0]["metrics"], tree["twice_40"][0]
    assert values["count"] == 3 and values["avg_time/us"] == pytest.approx(node["time (ns)"] / 3e3)
    assert values["flop/s"] == pytest.approx(120 / node["time (ns)"] * 1e9) and values["gbyte/s"] == pytest.approx(960 / node["time (ns)"])
    viewer.print_tree(shown, metrics)
    assert capsys.readouterr().out.splitlines()[1] == f"{values['avg_time/us']:.3f}   twice_40"


def test_decorators_and_traces(tmp_path):
    @proton.profile(name=str(tmp_path / "run"), data="trace")
    def step():
        with proton.cpu_timed_scope("step"):
            launch()

    @proton.scope("never")
    def outside():
        launch()

    step()
    outside()  # deactivated by then
    proton.finalize()
    event, = json.loads((tmp_path / "run.chrome_trace").read_text())["traceEvents"]
    assert event["name"] == "twice" and event["dur"] > 0 and event["args"] == {"scope": "step"}


def test_what_it_does_not_do_is_refused():
    with pytest.raises(NotImplementedError, match="measures launches, and nothing inside a kernel"):
        proton.start(backend="instrumentation")
    with pytest.raises(ValueError, match="no profiling session 7"):
        proton.finalize(7)
    proton.start()
    proton.enter_scope("a")
    with pytest.raises(ValueError, match="b != a"):
        proton.exit_scope("b")
    proton.exit_scope()


def test_the_knob_switches_it_off(monkeypatch):
    monkeypatch.setenv("TRITON_PROTON_DISABLE", "1")
    assert proton.start() is None and not proton._sessions
    with proton.scope("quiet"):
        launch()


BY_RUNPY = """import runpy, tilewise
tilewise.install()
runpy.run_module("triton.profiler.viewer", run_name="__main__")"""


@pytest.mark.parametrize("program", [["-m", "tilewise.profiler.viewer"], ["-m", "tilewise", "-m", "triton.profiler.viewer"], ["-c", BY_RUNPY]],
                         ids=["tilewise", "triton", "runpy"])
def test_the_viewer_is_a_program(tmp_path, program):
    proton.start(str(tmp_path / "run"))
    launch()
    proton.finalize()
    done = subprocess.run([sys.executable, *program, "-m", "count", str(tmp_path / "run.hatchet")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "twice" in done.stdout and done.stdout.startswith("1.000 ROOT")
    assert "Traceback" not in done.stderr
