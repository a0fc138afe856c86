"""The scripts of learn/scripts run, agree with double precision, and print what they promise."""

import pathlib
import subprocess
import sys

import pytest
from conftest import ROOT

SCRIPTS = {
    "simple_fusion": ["softmax 64 x 100", "(5 operations,", "(1 kernel launch,", "Speedup: "],
    "layer_norm": ["layer norm 64 x 100", "(8 operations,", "Speedup: "],
    "flash_attention_lite": ["tokens", "scores: 0.1 MB, fused: none"],
    "memory_analysis": ["softmax: 16 programs, 1 launch", "bound by memory", "times less"],
    "auto_tuning": ["1 warps", "best: BLOCK=", "the autotuner chose {'BLOCK': "],
}


def test_all_are_here():
    assert {path.stem for path in pathlib.Path(ROOT, "learn", "scripts").glob("*.py")} == {*SCRIPTS, "common"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_script(name):
    done = subprocess.run([sys.executable, ROOT / "learn" / "scripts" / f"{name}.py", "--small"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for expected in SCRIPTS[name]:
        assert expected in done.stdout, done.stdout
