"""tilewise bench: every comparison computes the same as its competitors, tables and pictures are written, and the history marks what got slower."""

import importlib.util
import json
import struct
import subprocess
import sys
import zlib

import pytest
import tilewise
from tilewise.comparisons import command, history, measure, picture, table, upstream
from tilewise.comparisons.arrays import Numpy, Torch
from tilewise.comparisons.cases import MAKERS

np = pytest.importorskip("numpy")
has_torch = importlib.util.find_spec("torch") is not None


@pytest.fixture
def without_torch(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else found(name, *rest))


def result(name="softmax", ours=1.0, unfused=4.0, size="8 x 8"):
    return measure.Result(name, size, "cpu", {"unfused": unfused, "tilewise": ours}, 5, 900, 300, 0, 1e-7)


def pixels(png):
    """Width, height and the colours of a PNG."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    start = png.index(b"IDAT")
    data = zlib.decompress(png[start + 4:start + 4 + struct.unpack(">I", png[start - 4:start])[0]])
    rows = np.frombuffer(data, np.uint8).reshape(height, 1 + 3 * width)[:, 1:].reshape(height, width, 3)
    return width, height, rows


def test_all_with_numpy(tmp_path, capsys, without_torch):
    assert command.main(["--all", "--quick", f"--output={tmp_path}"]) == 0
    out = capsys.readouterr().out
    assert "the times mean nothing" in out
    page = (tmp_path / "comparisons.html").read_text()
    for name in MAKERS:
        if name in ("norm_linear", "gelu"):
            assert f"{name} is left out" in out
        else:
            assert f"\n{name} " in out and f"<td>{name}</td>" in page
    assert "unfused (numpy), ms" in out and "3 -> 1" in out and "PyTorch" not in out
    assert 'src="data:image/png;base64,' in page and "http" not in page.replace("http://www.w3.org", "")
    width, height, _ = pixels((tmp_path / "comparisons.png").read_bytes())
    assert width == 1280 and height > 300
    assert not (tmp_path / "history.jsonl").exists(), "times of --quick mean nothing"


@pytest.mark.skipif(not has_torch, reason="needs torch")
@pytest.mark.parametrize("name", MAKERS)
def test_with_torch(name):
    from tilewise.analysis import count_torch
    xp = Torch("cpu")
    case = MAKERS[name](xp, True)
    found = measure.measure(case, xp, (40.0, 200.0), 1)
    assert found.difference < 1e-4 and found.share > 0 and {"unfused", "tilewise"} <= set(found.milliseconds)
    counted = count_torch(case.separate.run, case.inputs)
    assert counted.launches == found.launches, counted.names
    assert found.moved > found.least or (found.launches, found.moved) == (1, found.least)  # one product has nothing to fuse


def test_what_bounds():
    xp = Numpy()
    assert measure.measure(MAKERS["softmax"](xp, True), xp, (40.0, 200.0), 1).bound == "memory"
    assert measure.measure(MAKERS["matmul_relu"](xp, True), xp, (40.0, 1.0), 1).bound == "arithmetic"


def test_a_wrong_result_is_no_result():
    xp = Numpy()
    case = MAKERS["softmax"](xp, True)
    case.ours = lambda x: x
    with pytest.raises(measure.Wrong, match="softmax: tilewise differs from double precision by"):
        measure.measure(case, xp, None, 1)


def test_kernels_for_upstream():
    """Under Tilewise in upstream's place: the same text, launched in the same way."""
    xp = Numpy()
    kernels = upstream.kernels(tilewise)
    for name in upstream.launches(kernels):
        found = measure.measure(MAKERS[name](xp, True), xp, None, 1, kernels)
        assert list(found.milliseconds) == ["unfused", "triton", "tilewise"]


def test_history(tmp_path):
    path = tmp_path / "history.jsonl"
    here = history.setting("numpy", 4)
    for _ in range(3):
        history.append(path, history.as_run([result(), result("add", 2.0)], "2026-01-01T00:00:00", "0", here))
    path.write_text(path.read_text() + "not a run\n")
    runs = history.read(path)
    assert len(runs) == 3
    slow, busy, same, quick, new = result(ours=2.0), result("add", 4.0, unfused=8.0), result("add", 2.1), result(ours=0.5), result("new")
    history.mark(runs, [slow, busy, same, quick, new], here)
    assert [each.mark for each in (slow, busy, same, quick, new)] == ["slower than before", "", "", "faster than before", ""]
    for other in (history.setting("numpy", 8), history.setting("torch", 4)):
        elsewhere = result(ours=2.0)
        history.mark(runs, [elsewhere], other)
        assert elsewhere.mark == ""


def test_what_is_slower_is_told(tmp_path, capsys, without_torch, monkeypatch):
    times = iter([1.0, 1.0, 3.0])
    monkeypatch.setattr(measure, "measure", lambda case, *rest: result(ours=next(times)))
    monkeypatch.setattr(command, "_ceilings", lambda device: None)
    codes = [command.main(["softmax", f"--output={tmp_path}"]) for _ in range(3)]
    assert codes == [0, 0, 1]
    assert "slower than before" in capsys.readouterr().out
    page = (tmp_path / "comparisons.html").read_text()
    assert '<td class="slower">slower than before</td>' in page and "<polyline" in page
    assert len((tmp_path / "history.jsonl").read_text().splitlines()) == 3 and all(map(json.loads, (tmp_path / "history.jsonl").read_text().splitlines()))


def test_picture_shows_bars():
    fast, slow = result(ours=1.0, unfused=10.0), result("add", 1.0, unfused=2.0)
    _, _, rows = pixels(picture.speedups([fast, slow], "numpy"))
    lengths = (rows == picture.COLOURS["tilewise"]).all(axis=2).sum(axis=1)
    first, second = lengths[picture.TOP + 8], lengths[picture.TOP + picture.ROW + 8]
    assert first == pytest.approx(5 * second, abs=5) and first > 500


def test_table():
    lines = table.text([result()], "numpy").splitlines()
    assert lines[0].split() == "operation size unfused (numpy), ms Tilewise, ms speed-up launches MB moved of peak difference".split()
    assert lines[1].split() == "softmax 8 x 8 4.000 1.000 4.00x 5 -> 1 0.0 -> 0.0 - 1e-07".split()


@pytest.mark.parametrize("words, said", [
    (["softmaxx"], "there is no comparison 'softmaxx'"),
    (["--quick"], "--all, or names"),
    (["softmax", "--rounds=0"], "--rounds is a number"),
    (["softmax", "--rounds"], "unknown option --rounds"),
    (["softmax", "--device=tpu"], "--device is cpu or cuda"),
    (["softmax", "--nonsense"], "unknown option --nonsense"),
])
def test_wrong_usage(capsys, words, said):
    assert command.main(words) == 2
    assert said in capsys.readouterr().err


def test_help(capsys):
    assert command.main(["--help"]) == 0
    assert command.main(["--all", "--help"]) == 0
    out = capsys.readouterr().out
    assert "multiply_add_sqrt, gelu" in out and "{" not in out


@pytest.mark.skipif(not has_torch, reason="needs torch")
def test_as_on_a_gpu(tmp_path):
    done = subprocess.run([sys.executable, "-m", "tilewise", "--device=cpu", "bench", "softmax", "--quick", "--device=cuda", f"--output={tmp_path}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "softmax " in done.stdout and "PyTorch's own" in done.stdout
