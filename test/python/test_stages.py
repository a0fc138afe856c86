"""Stages of compiles as files, by upstream's knobs and by our variable."""

import os

import numpy as np
import pytest
import tilewise
import tilewise.language as tl


@tilewise.jit
def twice(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)


def launch(size):
    x = np.ones(size, np.float32)
    twice[(1,)](x, BLOCK=size)
    assert (x == 2).all()


@pytest.fixture(autouse=True)
def no_stages(monkeypatch):
    for name in ("TILEWISE_DUMP_DIR", "TRITON_KERNEL_DUMP", "TRITON_DUMP_DIR"):
        monkeypatch.delenv(name, raising=False)


def test_knobs_of_upstream(tmp_path):
    try:
        tilewise.knobs.cache.dump_dir = str(tmp_path)
        launch(16)
        assert os.listdir(tmp_path) == []  # a folder alone asks for nothing
        tilewise.knobs.compilation.dump_ir = True
        launch(32)
        launch(32)  # compiled already
        folder, = os.listdir(tmp_path)
        assert folder.endswith("-twice")
        assert "1-tile.mlir" in os.listdir(tmp_path / folder) and "2-opt.mlir" in os.listdir(tmp_path / folder)
    finally:
        del tilewise.knobs.cache.dump_dir, tilewise.knobs.compilation.dump_ir


def test_variable(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWISE_DUMP_DIR", str(tmp_path / "made"))
    launch(64)
    folder, = os.listdir(tmp_path / "made")
    assert "def twice(" in (tmp_path / "made" / folder / "0-source.py").read_text()
    assert "tensor<64xf32>" in (tmp_path / "made" / folder / "2-opt.mlir").read_text()
